import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../../src/core/memory/document.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { digestOf } from '../../../src/core/memory/memory.ts';
import { compose, composedBody, quote, read, rewrite } from '../../../src/store/format/format.ts';

const OWNED = ['trust-level', 'last-verified', 'quarantined-at', 'quarantine-reason', 'quarantined-by', 'created-at'];

function documentOf(bytes: Uint8Array | string): Document {
  const reading = read(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  if (reading.kind === 'unreadable') throw new Error(`${reading.fault} on line ${reading.line}`);
  return reading.document;
}

const rewritten = (text: string, changes: Readonly<Record<string, string | null>>): string =>
  rewrite(Buffer.from(text), new Map(Object.entries(changes))).toString();

describe('reading', () => {
  test('gives the fields in the file’s order, their lines, and the body byte for byte', () => {
    const { fields, lines, body, bodyLine, notes } = documentOf(
      '---\n# a comment\nname: Tabs\ntags: [a, "b: c"]\n\ndescription: >-\n  two\n  words\ntype:\n---\n\n  Body \n',
    );
    expect([...fields]).toEqual([
      ['name', 'Tabs'],
      ['tags', ['a', 'b: c']],
      ['description', 'two words'],
      ['type', null],
    ]);
    expect([...lines]).toEqual([
      ['name', 3],
      ['tags', 4],
      ['description', 6],
      ['type', 9],
    ]);
    expect(body).toBe('\n  Body \n');
    expect(bodyLine).toBe(11);
    expect(notes).toEqual([]);
  });

  test('CRs before a CRLF belong to the line end: what is digested is what is read, to the last line', () => {
    const bodyOf = (body: string) => {
      const subject = subjectOf(
        'user_x',
        read(Buffer.from(`---\nname: A\ndescription: b\ntype: user\n---\n${body}`)),
        'found',
      );
      return [subject.document?.body, subject.memory && digestOf(subject.memory)];
    };
    for (const end of ['\r\n', '\r\r\n', '\r\r\r\n']) expect(bodyOf(`one${end}two`)).toEqual(bodyOf('one\ntwo'));
    expect(bodyOf('one\rtwo')).not.toEqual(bodyOf('one\ntwo'));
  });

  test('a byte order mark and CRLF are accepted and noted', () => {
    const { fields, body, notes } = documentOf('\uFEFF---\r\nname: Tabs\r\n---\r\nBody\r\nends\r here');
    expect([...fields]).toEqual([['name', 'Tabs']]);
    expect(body).toBe('Body\nends\r here');
    expect(notes).toEqual(['bom', 'crlf']);
  });

  test('frontmatter without keys is a document without fields', () => {
    for (const text of ['---\n---\n', '---\n---', '---\n\n---\n', '---\n# only\n#\n---\n'])
      expect([...documentOf(text).fields]).toEqual([]);
  });

  test('dates, numbers and words keep the text that was typed', () => {
    const { fields } = documentOf('---\na: 2026-11-15\nb: 007\nc: off\nd: 1_000\ne: "~"\n---\n');
    expect([...fields.values()]).toEqual(['2026-11-15', '007', 'off', '1_000', '~']);
  });
});

describe('rewriting', () => {
  test('replaces a value in place and leaves every other byte alone', () => {
    expect(
      rewritten('---\nx:   1\n"trust-level" :  inferred   # why\nname: \'T\'\n---\n\nBody', {
        'trust-level': 'verified',
      }),
    ).toBe('---\nx:   1\n"trust-level" :  verified   # why\nname: \'T\'\n---\n\nBody');
  });

  test('fills a key that had nothing behind it', () => {
    expect(rewritten('---\ntrust-level:\nx: 1\n---\n', { 'trust-level': 'inferred' })).toBe(
      '---\ntrust-level: inferred\nx: 1\n---\n',
    );
    expect(rewritten('---\ntrust-level:   # later\n---\n', { 'trust-level': 'inferred' })).toBe(
      '---\ntrust-level: inferred   # later\n---\n',
    );
    expect(rewritten('---\ntrust-level: ~ # later\n---\n', { 'trust-level': 'inferred' })).toBe(
      '---\ntrust-level: inferred # later\n---\n',
    );
  });

  test('adds missing keys before the closing line, in the order asked, with the line ends of the line above', () => {
    expect(
      rewritten('---\nname: T\r\n---  \nBody', { 'quarantined-by': 'host', 'quarantine-reason': 'wrong: "all"' }),
    ).toBe('---\nname: T\r\nquarantined-by: host\r\nquarantine-reason: "wrong: \\"all\\""\r\n---  \nBody');
    expect(rewritten('---\r\n---', { 'trust-level': 'inferred' })).toBe('---\r\ntrust-level: inferred\r\n---');
  });

  test('removes a key and keeps its comment as a line of its own', () => {
    expect(rewritten('---\na: 1\nquarantined-by: host # a note\nb: 2\n---\n', { 'quarantined-by': null })).toBe(
      '---\na: 1\n# a note\nb: 2\n---\n',
    );
    expect(rewritten('---\na: 1\nquarantined-by: host\n\n# about b\nb: 2\n---\n', { 'quarantined-by': null })).toBe(
      '---\na: 1\n\n# about b\nb: 2\n---\n',
    );
  });

  test.each([
    ['a literal block', '|\n  one\n  # not a comment\n\n  two'],
    ['a block with a header comment', '|- # remark\n  one'],
    ['a folded block', '>-\n  one\n  two'],
    ['a block that keeps its end', '|+\n  one\n\n'],
    ['an empty block', '|'],
    ['an empty block with a remark', '| # remark'],
    ['lines of plain text', 'one\n  two\n\n  three'],
    ['lines of quoted text', '"one\n\n  # two\\\n  three"'],
    ['lines of single quoted text', "'one\n  it''s # two'"],
    ['text on the next line', '# remark\n  one'],
    ['a block on the next line', '\n  |\n  one'],
    ['a block list', '\n- one # remark\n# more\n- two'],
    ['a list of blocks', '\n  - |\n    one\n  - two'],
    ['a flow list', '[one, "two #",\n  # remark\n  three # more\n  ] # end'],
  ])('a value of several lines is replaced whole: %s', (_, value) => {
    const text = `---\na: 1\nquarantine-reason: ${value}\n# about b\nb: 2\n---\nBody\n`;
    const after = rewritten(text, { 'quarantine-reason': 'short' });
    const remarks = [...value.matchAll(/# (?:remark|more|end)/g)].map(([remark]) => remark);
    for (const remark of [...remarks, '# about b']) expect(after).toContain(remark);
    expect(after.match(/#/g)?.length).toBe(remarks.length + 1);
    expect([...documentOf(after).fields]).toEqual([
      ['a', '1'],
      ['quarantine-reason', 'short'],
      ['b', '2'],
    ]);
    const without = rewritten(text, { 'quarantine-reason': null });
    for (const remark of [...remarks, '# about b']) expect(without).toContain(remark);
    expect([...documentOf(without).fields.keys()]).toEqual(['a', 'b']);
  });

  test('a text block never swallows what stood behind a removed key', () => {
    for (const block of ['|', '|+', '>-', '|2-'])
      for (const behind of ['  # indented remark', '', '\n\n  # indented remark', '   ']) {
        const text = `---\nnote: ${block}\n  one\nquarantined-by: host\n${behind}\n---\nBody\n`;
        const after = rewritten(text, { 'quarantined-by': null });
        expect(documentOf(after).fields.get('note')).toBe(documentOf(text).fields.get('note'));
        expect(after).toContain(`\n${behind}\n---\n`);
      }
  });

  test('a value that already reads as asked keeps its spelling', () => {
    const text = '---\ntrust-level: "verified"\nlast-verified: \'2026-11-15\'\n---\nBody\n';
    expect(rewritten(text, { 'trust-level': 'verified', 'last-verified': '2026-11-15', 'created-at': null })).toBe(
      text,
    );
  });

  test('a reason with a line break forges no key', () => {
    const reason = 'bad\ntrust-level: verified\r\n---\n\u2028trust-level: verified';
    const after = rewritten('---\ntrust-level: inferred\n---\nBody\n', {
      'trust-level': 'quarantined',
      'quarantine-reason': reason,
    });
    const { fields, body } = documentOf(after);
    expect([...fields]).toEqual([
      ['trust-level', 'quarantined'],
      ['quarantine-reason', reason],
    ]);
    expect(body).toBe('Body\n');
    expect(after.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(6);
  });

  test('a reason with quotes, ampersands and shell words is kept as it was given', () => {
    const reason = `"quoted" & 'single' $(rm -rf x) \`id\` \\ {a} [b] *c &d !e %f @g`;
    const after = rewritten('---\nname: T\n---\n', { 'quarantine-reason': reason });
    expect(documentOf(after).fields.get('quarantine-reason')).toBe(reason);
  });

  test('is refused when the file is unreadable or would become so', () => {
    expect(() => rewritten('no frontmatter', { 'trust-level': 'verified' })).toThrow('opening-missing');
    expect(() => rewritten('---\nname: T\n---\n', { 'quarantine-reason': 'x'.repeat(9000) })).toThrow('too-large');
    expect(() => rewritten('---\nname: T\n---\n', { 'Trust-Level': 'verified' })).toThrow('forbidden');
    expect(() => rewritten('---\nname: T\n---\n', { 'quarantine-reason': 'a\0b' })).toThrow('NUL');
  });

  /** A key’s lines, `owned` when the transition may change them; `open` when the value ends in a text block. */
  type Piece = { lines: string[]; owned: boolean; open: boolean };
  const word = fc.constantFrom(
    'one',
    'zwei',
    'trois 3',
    '2026-11-15',
    '🦄 horn',
    'Ünïcode',
    'x/y.z',
    'a:b',
    'c#d',
    '"q" \'s\'',
  );
  const value = fc.oneof(
    word.map((text) => ({ text: quote(text), open: false })),
    word.map((text) => ({ text: `'${text.replaceAll("'", "''")}'`, open: false })),
    fc.tuple(word, word).map(([a, b]) => ({ text: `|\n  ${a}\n  # ${b}\n\n    ${b}`, open: true })),
    fc.tuple(word, word).map(([a, b]) => ({ text: `>-\n  ${a}\n  ${b}`, open: true })),
    fc.constant({ text: 'plain\n  and more', open: false }),
    fc.constant({ text: '"quoted\n  # and more"', open: false }),
  );
  const elsewhere = fc.oneof(
    value,
    fc.constantFrom(
      { text: '|+\n  kept\n\n', open: true },
      { text: '\n  - a # remark\n  # more\n  - b', open: false },
      { text: '\n- a\n- |\n  b', open: true },
      { text: '[a, # remark\n  "b"]', open: false },
      { text: '~', open: false },
      { text: '', open: false },
    ),
  );
  const remark = fc.constantFrom('', ' # remark: ü', '   #', '\t# tab');
  const entry = (key: string, owned: boolean): fc.Arbitrary<Piece> =>
    fc
      .tuple(owned ? value : elsewhere, remark, fc.constantFrom(': ', ':  ', ' : '))
      .map(([{ text, open }, tail, colon]) => {
        const lines = `${key}${colon}${text}`.split('\n');
        return { lines: text.includes('\n') || text === '' ? lines : [`${lines[0]}${tail}`], owned, open };
      });
  const between: fc.Arbitrary<Piece> = fc
    .constantFrom<string[]>(['# remark'], ['  # indented'], [''], ['', '# two', ''], ['\t'], ['#'])
    .map((lines) => ({ lines, owned: false, open: false }));
  const pieces = fc
    .tuple(
      fc.subarray(OWNED).chain((keys) => fc.tuple(...keys.map((key) => entry(key, true)))),
      fc
        .uniqueArray(fc.constantFrom('x-a', "'x b'", '"x: c"', 'name', 'ключ', 'tags'), { maxLength: 5 })
        .chain((keys) => fc.tuple(...keys.map((key) => entry(key, false)))),
      fc.array(between, { maxLength: 5 }),
    )
    .chain((kinds) => fc.shuffledSubarray(kinds.flat(), { minLength: kinds.flat().length }))
    // A remark or blank line right behind a text block would be part of its text.
    .map((all) =>
      all.filter((piece, n) => piece.lines[0]?.trim().match(/^(?!#|$)/) || !all.slice(0, n).findLast(isKey)?.open),
    );
  const isKey = (piece: Piece): boolean => /^[^\s#]/.test(piece.lines[0] ?? '');
  const ends = fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1, maxLength: 9 });
  const body = fc
    .array(
      fc.constantFrom(
        '---',
        '--- ',
        '...',
        'text',
        ' ',
        '\t',
        '\n',
        '\r\n',
        '\r',
        '🦄',
        'trust-level: verified',
        '\u2028',
        '# x',
      ),
    )
    .map((parts) => parts.join(''));
  const file = fc
    .tuple(pieces, ends, fc.constantFrom('\n', '\r\n', 'mixed'), fc.boolean(), body, fc.constantFrom('---', '--- \t'))
    .map(([all, mixed, style, bom, text, closing]) => {
      let lineEnds = 0;
      const end = (): string => (style === 'mixed' ? (mixed[lineEnds++ % mixed.length] ?? '\n') : style);
      const lines = all.flatMap((piece) => piece.lines.map((line) => ({ raw: line + end(), owned: piece.owned })));
      const rest = text === '' ? closing : `${closing}${end()}${text}`;
      const raw = `${bom ? '\uFEFF' : ''}---${end()}${lines.map((line) => line.raw).join('')}${rest}`;
      return { raw, rest, foreign: lines.filter(({ owned }) => !owned).map((line) => line.raw) };
    });
  const changes = fc
    .uniqueArray(fc.tuple(fc.constantFrom(...OWNED), fc.option(fc.string({ unit: 'grapheme', maxLength: 30 }))), {
      selector: ([key]) => key,
    })
    .map((pairs) => new Map(pairs.filter(([, text]) => !text?.includes('\0'))));

  test('what a transition does not own survives byte for byte, and the inverse brings the fields back', () => {
    fc.assert(
      fc.property(file, changes, ({ raw, rest, foreign }, asked) => {
        const before = documentOf(raw);
        const result = rewrite(Buffer.from(raw), asked);
        const text = result.toString();

        const wanted = new Map(before.fields);
        for (const [key, to] of asked) to === null ? wanted.delete(key) : wanted.set(key, to);
        const after = documentOf(result);
        expect([...after.fields]).toEqual([...wanted]);
        expect(after.body).toBe(before.body);
        expect(text.endsWith(rest)).toBe(true);
        expect(text.startsWith('\uFEFF')).toBe(raw.startsWith('\uFEFF'));
        expect(text.match(/# remark[^\r\n]*/g) ?? []).toEqual(raw.match(/# remark[^\r\n]*/g) ?? []);
        let at = 0;
        for (const line of foreign) {
          const found = text.indexOf(line, at);
          expect(found, JSON.stringify(line)).toBeGreaterThanOrEqual(at);
          at = found + line.length;
        }

        const inverse = new Map(
          [...asked.keys()].map((key) => [key, (before.fields.get(key) ?? null) as string | null]),
        );
        const back = documentOf(rewrite(result, inverse));
        expect(new Map(back.fields)).toEqual(new Map(before.fields));
        expect(back.body).toBe(before.body);
      }),
      { numRuns: 1500 },
    );
  });

  test('any file that can be read can be rewritten', () => {
    const scrap = fc.constantFrom(
      ...[
        'text',
        'x',
        '~',
        '|',
        '- ',
        '[',
        ']',
        ', ',
        '"',
        "'",
        '#',
        ' # c',
        '  ',
        '\t',
        '\\\n',
        '\u2028',
        '\u00A0',
        '\uFEFF',
      ],
      ...[
        '\n',
        '\n',
        '\n\n',
        '\r\n',
        '\n ',
        '\n# c',
        '\n  # d',
        '\n- ',
        '\n  - ',
        ': |\n  ',
        ': >-\n ',
        ': |+\n  ',
        '\n  |\n',
      ],
    );
    const line = fc
      .tuple(fc.constantFrom(...OWNED, 'x', 'y', 'name'), fc.array(scrap, { maxLength: 6 }))
      .map(([key, scraps]) => `${key}: ${scraps.join('')}\n`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), changes, (lines, asked) => {
        const bytes = Buffer.from(`---\n${lines.join('')}---\nBody\n---\n`);
        fc.pre(read(bytes).kind === 'document');
        const after = documentOf(rewrite(bytes, asked));
        for (const [key, to] of asked) expect(after.fields.get(key) ?? null).toBe(to);
        expect(after.body).toBe('Body\n---\n');
      }),
      { numRuns: 3000 },
    );
  });

  test('asking for what is already there changes no byte', () => {
    fc.assert(
      fc.property(file, ({ raw }) => {
        const { fields } = documentOf(raw);
        const same = new Map(OWNED.map((key) => [key, (fields.get(key) ?? null) as string | null]));
        expect(rewrite(Buffer.from(raw), same).toString()).toBe(raw);
      }),
      { numRuns: 300 },
    );
  });
});

describe('composing', () => {
  test('writes a file a person would have written', () => {
    const fields = new Map<string, string | string[]>([
      ['name', 'Package manager'],
      ['description', 'Use pnpm: never npm'],
      ['type', 'project'],
      ['trust-level', 'inferred'],
      ['created-at', '2026-11-15T10:00:00Z'],
      ['last-verified', '2026-11-15'],
      ['tags', ['build', 'node.js', '한국어', 'a, b', '👩‍💻', '']],
      ['project', 'null'],
    ]);
    expect(compose(fields, 'Use pnpm.').bytes.toString()).toBe(
      [
        '---',
        'name: Package manager',
        'description: "Use pnpm: never npm"',
        'type: project',
        'trust-level: inferred',
        'created-at: 2026-11-15T10:00:00Z',
        'last-verified: 2026-11-15',
        'tags: [build, node.js, 한국어, "a, b", "👩‍💻", ""]',
        'project: "null"',
        '---',
        '',
        'Use pnpm.',
        '',
      ].join('\n'),
    );
  });

  const ODD = [
    '',
    ' ',
    ' lead',
    'trail ',
    'null',
    '~',
    'yes',
    '010',
    '1e3',
    '.inf',
    'a: b',
    'a #b',
    '#',
    '- a',
    '---',
    '...',
  ];
  const ODDER = [
    'a\nb',
    '\r',
    '\t',
    '\u0085',
    '\u2028',
    '\uFEFF',
    '\uD800',
    '\uDE00',
    '\uFFFF',
    '"',
    "'",
    '\\',
    '\\n',
    '{a',
    '[',
    '@',
  ];
  const units = fc.oneof(
    fc.integer({ min: 1, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(...'"\'\\:#,[]{}&*!|>%@`?- \n\r\t\u2028\u3164', '🦄'),
  );
  const anyText = fc.oneof(
    fc.constantFrom(...ODD, ...ODDER),
    fc.string({ unit: units, maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'aB1 ._/-é漢'), maxLength: 12 }),
  );
  const text = anyText.filter((candidate) => !candidate.includes('\0'));
  const fields = fc
    .uniqueArray(
      fc.tuple(
        fc.oneof(
          fc.constantFrom('name', 'tags'),
          text.map((key) => `x${key}`.trim()),
        ),
        fc.oneof(text, fc.array(text)),
      ),
      {
        selector: ([key]) => key,
        maxLength: 6,
      },
    )
    .map((pairs) => new Map<string, string | string[]>(pairs));

  test('any text in any field is read back as it was, on one line', () => {
    fc.assert(
      fc.property(fields, (given) => {
        const { bytes } = compose(given, 'Body');
        expect([...documentOf(bytes).fields]).toEqual([...given]);
        expect(bytes.toString().split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(given.size + 5);
      }),
      { numRuns: 2000 },
    );
  });

  test('any body is read back as composedBody says, also one that looks like frontmatter', () => {
    const bodies = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom('---', '...', '\n', '\r\n', '\r', 'x', ' ', '\uFEFF')).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(
        bodies.filter((body) => !body.includes('\0')),
        (body) => {
          const found = documentOf(compose(new Map([['name', 'T']]), body).bytes).body;
          expect(found).toBe(composedBody(body));
          expect(composedBody(found.slice(1))).toBe(found);
          expect(found.trim()).toBe(body.replace(/\r\n?/g, '\n').trim());
        },
      ),
    );
  });

  test('refuses what it could not read back', () => {
    expect(() => compose(new Map([['constructor', 'x']]), 'Body')).toThrow('forbidden');
    expect(() => compose(new Map([['name', 'a\0']]), 'Body')).toThrow('NUL');
    expect(() => compose(new Map([['name', 'T']]), 'a\0')).toThrow('nul');
    expect(() => compose(new Map([['name', 'T']]), 'lone \uD800')).toThrow('asked');
    expect(() => compose(new Map([['name', 'T']]), 'x'.repeat(70_000))).toThrow('too-large');
  });

  test('no invisible character is written as itself', () => {
    expect(quote('a\u202Eb\u200Bc\u{E0041}\u00A0\u3164')).toBe('"a\\u202Eb\\u200Bc\\U000E0041\\u00A0\\u3164"');
    expect(quote('a\uD800')).toBe('"a\\uD800"');
    expect(quote('क्‍ष ❤️')).toBe('"क्‍ष ❤️"');
  });
});
