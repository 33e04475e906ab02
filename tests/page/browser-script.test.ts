import { expect, test } from 'vitest';
import { scriptsOfSources } from '../../src/page/browser-script.ts';

// The compiler reads the modules one by one. It cannot see that two of them declare one name, which joined they may not.

test.each(Object.entries(scriptsOfSources()))('the script of the page %s is JavaScript when joined', (_, script) => {
  expect(() => new Function(script)).not.toThrow();
});
