import { expect, test } from 'vitest';
import { passkeyCalled, passkeyName } from '../../../src/actions/review/passkeys.ts';
import { SoftwareAuthenticator } from '../../../testkit/authenticator.ts';
import { enrol } from '../../../testkit/passkeys.ts';
import { TestStore } from '../../../testkit/store.ts';

test.each([
  ['40 characters that take two units each', '🔑'.repeat(40), '🔑'.repeat(40)],
  ['accents of their own', 'Schlu\u0308ssel', 'Schlüssel'],
  ['white space around it', '  my key\n', 'my key'],
])('a passkey takes a name of %s', (_, given, name) => {
  expect(passkeyName(given)).toBe(name);
});

test.each([
  ['41 characters that take two units each', '🔑'.repeat(41)],
  ['a space where it would be cut', `${'x'.repeat(40)} and more`],
])('a passkey’s name with %s is refused and not cut', (_, given) => {
  expect(() => passkeyName(given)).toThrow('1 to 40 characters that show');
});

test('a passkey is found by its name as it was given and as it shows', async () => {
  const store = await TestStore.open();
  const given = ' Schlu\u0308ssel\u200b ';
  await enrol(store, new SoftwareAuthenticator(), undefined, passkeyName(given));
  for (const typed of [given, 'Schlüssel']) expect(passkeyCalled(store, typed)).toMatchObject({ name: 'Schlüssel' });
  expect(() => passkeyCalled(store, 'another')).toThrow('No passkey of this store is called so');
});
