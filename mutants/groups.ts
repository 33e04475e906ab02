/** Sources that must not break, and the tests that must notice when they do. */
export interface Group {
  readonly name: string;
  readonly mutate: readonly string[];
  /** Tests that run the sources in their own process: a mutant is a variable there, which a child process does not see. */
  readonly tests: readonly string[];
}

export const GROUPS: readonly Group[] = [
  { name: 'trust', mutate: ['src/core/trust/*.ts'], tests: ['tests/core/trust/*.test.ts'] },
  {
    name: 'ledger',
    mutate: ['src/core/ledger/*.ts'],
    tests: ['tests/core/ledger/*.test.ts', 'tests/core/sync/*.test.ts'],
  },
  {
    name: 'witnesses',
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
    tests: ['tests/core/text/*.test.ts', 'tests/core/checks/payloads.test.ts'],
  },
];
