/** Sources that must not break, and the tests that must notice when they do. Several can have one name. */
export interface Group {
  readonly name: string;
  readonly mutate: readonly string[];
  /** Tests that run the sources in their own process: a mutant is a variable there, which a child process does not see. */
  readonly tests: readonly string[];
  /** Whether the tests use stores and timers, so that they need vitest. */
  readonly areWhole?: true;
}

/** A source of the ledger with its own tests and those of these other sources: each file of tests that is loaded takes time. */
function ledger(source: string, ...others: readonly string[]): Group {
  const tests = [source, ...others].map((name) => `tests/core/ledger/${name}.test.ts`);
  return { name: 'ledger', mutate: [`src/core/ledger/${source}.ts`], tests };
}

export const GROUPS: readonly Group[] = [
  { name: 'trust', mutate: ['src/core/trust/*.ts'], tests: ['tests/core/trust/*.test.ts'] },
  ledger('causal-order'),
  ledger('entry'),
  ledger('evidence', 'standing'),
  {
    name: 'ledger',
    mutate: ['src/core/ledger/heads.ts'],
    tests: ['evidence', 'standing'].map((name) => `tests/core/ledger/${name}.test.ts`),
  },
  ledger('hash-index'),
  ledger('packed-statements', 'evidence', 'replay', 'entry'),
  ledger('packed-text'),
  {
    name: 'ledger',
    mutate: ['src/core/ledger/parse-entry.ts', 'src/core/ledger/plain-line.ts'],
    tests: ['entry', 'plain-line'].map((name) => `tests/core/ledger/${name}.test.ts`),
  },
  ledger('passkey-set'),
  { name: 'ledger', mutate: ['src/core/ledger/proven-order.ts'], tests: ['tests/core/ledger/passkey-set.test.ts'] },
  ledger('replay', 'entry'),
  ledger('segments'),
  ledger('standing'),
  ledger('statement', 'standing', 'replay', 'entry'),
  {
    name: 'witnesses',
    areWhole: true,
    mutate: ['src/page/witness.ts', 'src/tools/dialog-channel.ts', 'src/actions/review/shown.ts'],
    tests: ['tests/page/witness.test.ts', 'tests/tools/dialog-channel.test.ts', 'tests/actions/review/shown.test.ts'],
  },
  {
    name: 'sanitizer',
    mutate: [
      'sanitize',
      'safe-text',
      'normalize',
      'code-points',
      'combining-marks',
      'joiners',
      'hidden-message',
      'defuse',
      'chat-marks',
      'private-passages',
      'visible',
    ].map((name) => `src/core/text/${name}.ts`),
    // Without every-character.test.ts, which takes seconds.
    tests: ['sanitize', 'safe-text.types', 'normalize', 'defuse', 'private-passages'].map(
      (name) => `tests/core/text/${name}.test.ts`,
    ),
  },
];
