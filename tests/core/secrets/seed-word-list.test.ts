import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { maskSecrets } from '../../../src/core/secrets/detect.ts';
import { MASK } from '../../../src/core/secrets/mask.ts';
import { seedWords } from '../../../src/core/secrets/seed-word-list.ts';

test('the word list is the published one, word for word', () => {
  const published = seedWords().map((word) => `${word}\n`);
  const sum = createHash('sha256').update(published.join('')).digest('hex');
  // The SHA-256 of english.txt in the repository of BIP 39.
  expect(sum).toBe('2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda');
});

test('recovery words that a rename once took out of the list are found', () => {
  const words = 'exhibit vessel ladder alter error federal sibling chat ability sun glass acid';
  expect(maskSecrets(`Write these down: ${words}`)).toBe(`Write these down: ${MASK}`);
});
