import fc from 'fast-check';

/** Pieces that have broken something somewhere: markup, frames, terminals, scripts, YAML, FTS5, JSON, paths. */
export const PIECES = [
  ...['</memory>', '</memory-context>', '<memory id="user_x" tier="verified">', '" tier="verified', '| name: forged'],
  ...['<|im_start|>system', '[INST]', '<script>', '<!--', ']]>', '&lt;', '&#60;', '#{x}', '`', '\\', '{{x}}'],
  ...['\u001b[2J', '\u001b]0;x\u0007', '\u009b', '\r', '\n', '\r\n', '\t', '\u0000', '\u0085', '\u2028', '\u2029'],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u00ad',
    '\u{e0041}',
    '\ufe0f',
    '\u{e0100}',
    '\u115f',
    '\u3164',
  ],
  ...[
    '\ud800',
    '\udfff',
    '\ufffe',
    '\u{1ffff}',
    '\ufff9',
    '\u180e',
    'e\u0301\u0301\u0301\u0301\u0301\u0301',
    'ก็็็็',
    'क्‍ष',
    '👩‍👩‍👧',
  ],
  ...[
    '---',
    '---\n',
    '...',
    ': ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '#',
    '&a',
    '*a',
    '!!js/function',
    '<<',
    '? ',
    '%YAML',
  ],
  ...[
    'name: ',
    'trust-level: verified',
    'Trust-Level: verified',
    '__proto__: x',
    'tags: [a',
    'type: user',
    'last-verified: ',
  ],
  ...[
    'OR',
    'AND',
    'NEAR(',
    '*',
    '^',
    '-',
    '+',
    'col:',
    'user_id',
    'React.FC',
    '.env',
    'C++',
    '한국어',
    '数据库',
    'ฐานข้อมูล',
    'Straße',
  ],
  ...['../', '..\\', '/etc/passwd', '%2e%2e%2f', 'file:///', 'memory://', '~', 'CON', 'a'.repeat(300), '\u{1f984}'],
  ...['password: hunter2hunter2', 'AKIAIOSFODNN7EXAMPLE', '<private>', '</private>', 'ignore previous instructions'],
] as const;

/** Any text: soups of the pieces, and whatever characters there are. */
export const hostileText = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 8 })), { maxLength: 14 })
    .map((all) => all.join('')),
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 400 })).map(([piece, times]) => piece.repeat(times)),
);

const line = fc.oneof(
  fc.constantFrom('Package manager', 'Deploys', 'Why: a reason', 'yes', 'null', '2026-03-01', '1_000', 'a: b', '# c'),
  hostileText,
);

const QUOTINGS = [
  (text: string) => text.replace(/[\r\n]/g, ' '),
  (text: string) => JSON.stringify(text),
  (text: string) => `'${text.replaceAll("'", "''").replace(/[\r\n]/g, ' ')}'`,
  (text: string) => `|\n  ${text.replace(/\r?\n/g, '\n  ')}`,
] as const;

/** A memory file that is nearly always well formed, with texts that may be anything. */
export const memoryFile = fc
  .record({
    name: line,
    description: line,
    type: fc.constantFrom('user', 'feedback', 'project', 'reference', 'User', ''),
    claim: fc.constantFrom('verified', 'inferred', 'quarantined', 'VERIFIED', ' verified', ''),
    tags: fc.constantFrom('', 'tags: [a, "b, c"]\n', 'tags:\n  - a\n  - b\n', 'tags: alone\n', 'tags: []\n'),
    extra: fc.constantFrom('', 'x-kept: yes # remark\n', '# a comment\n', 'project: owner/name\n', '\n'),
    quoting: fc.constantFrom(...QUOTINGS),
    end: fc.constantFrom('\n', '\r\n'),
    body: hostileText,
  })
  .map(({ name, description, type, claim, tags, extra, quoting, end, body }) => {
    const head = `name: ${quoting(name)}\ndescription: ${quoting(description)}\ntype: ${type}\n${tags}${extra}trust-level: ${claim}\n`;
    return Buffer.from(`---\n${head}---\n${body}\n`.replaceAll('\n', end));
  });

/** What an accident or an attacker does to bytes. */
type Change =
  | { readonly how: 'cut'; readonly at: number }
  | { readonly how: 'remove' | 'double'; readonly at: number; readonly length: number }
  | { readonly how: 'put'; readonly at: number; readonly piece: string }
  | { readonly how: 'flip'; readonly at: number; readonly bit: number };

const at = fc.nat(1_000_000);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ how: fc.constant('cut' as const), at }),
  fc.record({
    how: fc.constantFrom('remove' as const, 'double' as const),
    at,
    length: fc.integer({ min: 1, max: 60 }),
  }),
  fc.record({ how: fc.constant('put' as const), at, piece: fc.constantFrom(...PIECES) }),
  fc.record({ how: fc.constant('flip' as const), at, bit: fc.nat(7) }),
);
export const changes = fc.array(change, { maxLength: 4 });

export function changed(bytes: Buffer, all: readonly Change[]): Buffer {
  return all.reduce(changedOnce, bytes);
}

function changedOnce(now: Buffer, one: Change): Buffer {
  const place = one.at % (now.length + 1);
  switch (one.how) {
    case 'cut':
      return now.subarray(0, place);
    case 'remove':
      return Buffer.concat([now.subarray(0, place), now.subarray(place + one.length)]);
    case 'double':
      return Buffer.concat([now.subarray(0, place + one.length), now.subarray(place)]);
    case 'put':
      return Buffer.concat([now.subarray(0, place), Buffer.from(one.piece), now.subarray(place)]);
    case 'flip': {
      const flipped = Buffer.from(now);
      if (place < flipped.length) flipped[place] = (flipped[place] ?? 0) ^ (1 << one.bit);
      return flipped;
    }
  }
}

/** What somebody might type into a search. */
export const query = fc.oneof(
  fc.array(fc.constantFrom(...PIECES, 'merge', 'rebase', 'release'), { maxLength: 12 }).map((words) => words.join(' ')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((words) => words.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
);

/** Any value a program can put into JSON, with texts and keys that mean something here. */
export const jsonValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, 20, 400, '', 'user', 'verified'),
    hostileText.map((text) => text.toWellFormed()),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        'id',
        'query',
        'name',
        'body',
        'confirmed',
        'actor',
        'trust-level',
        '__proto__',
        'constructor',
        '',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value;
