import { expect, test } from 'vitest';
import { Refusal } from '../../src/core/refusal.ts';

test('a refusal has no character that moves a cursor or hides text, wherever its words came from', () => {
  const refusal = new Refusal('key-unusable', 'The key /home/\u001b[31mx\u0007\u202e/key.json is gone.\nPut it back.');
  expect(refusal.message).toBe('The key /home/[31mx/key.json is gone.\nPut it back.');
});
