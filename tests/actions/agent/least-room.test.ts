import { expect, test } from 'vitest';
import { LEAST_ROOM } from '../../../src/actions/agent/session-context.ts';
import { issueId } from '../../../src/core/memory/ids.ts';
import type { Memory } from '../../../src/core/memory/memory.ts';
import { frame } from '../../../src/core/present/model-frame.ts';
import { Untrusted } from '../../../src/core/text/safe-text.ts';

test('no memory has room where its file is not read for lack of it', () => {
  const nothing = Untrusted.of('');
  const texts = { name: nothing, description: nothing, body: nothing, tags: null, project: null, anchors: null };
  const memory: Memory = { id: issueId('user', 'a', () => false), type: 'user', ...texts };
  for (const tier of ['verified', 'inferred'] as const) {
    const item = { facts: { id: memory.id, tier, type: memory.type, stale: false, held: false }, memory };
    const nonce = '0'.repeat(16);
    expect(frame([item], nonce).length - frame([], nonce).length).toBeGreaterThanOrEqual(LEAST_ROOM);
  }
});
