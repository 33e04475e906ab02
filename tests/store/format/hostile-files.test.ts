import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FieldValue, LIMITS_OF_A_FILE, type Reading } from '../../../src/core/memory/document.ts';
import { read, rewrite } from '../../../src/store/format/format.ts';

const FOLDER = new URL('../../hostile/', import.meta.url);

/** What each attack file must be refused as, and on which line. */
const REFUSED: Readonly<Record<string, string>> = {
  'alias-bomb': 'yaml-anchor 2',
  anchor: 'yaml-anchor 6',
  'anchor-alias': 'yaml-anchor 6',
  'anchor-on-key': 'yaml-anchor 6',
  'beyond-unicode': 'yaml-invalid 6',
  'bom-key': 'yaml-forbidden-key 2',
  'case-alone': 'yaml-forbidden-key 5',
  'case-fullwidth': 'yaml-forbidden-key 6',
  'case-long-s': 'yaml-forbidden-key 6',
  'case-padded': 'yaml-forbidden-key 6',
  'case-zero-width': 'yaml-forbidden-key 6',
  'closing-extra': 'yaml-invalid 6',
  'closing-missing': 'closing-missing 1',
  'complex-key': 'yaml-not-flat 6',
  'control-character': 'yaml-invalid 6',
  'deep-nest': 'yaml-not-flat 6',
  'deep-nest-blocks': 'yaml-not-flat 11',
  directive: 'yaml-invalid 2',
  'directive-tag': 'yaml-invalid 3',
  'doc-end': 'yaml-invalid 6',
  'doc-end-first': 'yaml-invalid 2',
  'dup-case': 'yaml-forbidden-key 6',
  'dup-keys': 'yaml-duplicate-key 6',
  'dup-quoted': 'yaml-duplicate-key 6',
  'empty-key': 'yaml-forbidden-key 6',
  'engine-coffee': 'opening-missing 1',
  'engine-constructor': 'opening-missing 1',
  'engine-javascript': 'opening-missing 1',
  'engine-js': 'opening-missing 1',
  'engine-js-spaced': 'opening-missing 1',
  'engine-json': 'opening-missing 1',
  'engine-proto': 'opening-missing 1',
  'engine-toml': 'opening-missing 1',
  'engine-tostring': 'opening-missing 1',
  'engine-yaml': 'opening-missing 1',
  'explicit-key': 'yaml-not-flat 6',
  'f01-empty': 'opening-missing 1',
  'f04-opening-space': 'opening-missing 1',
  'f08-all-indented': 'yaml-not-flat 2',
  'f08-indented': 'yaml-invalid 3',
  'f13-two-trust-levels': 'yaml-duplicate-key 6',
  'flow-mapping': 'yaml-not-flat 2',
  'gray-matter-blind': 'yaml-forbidden-key 2',
  'invalid-utf8': 'not-utf8 8',
  'list-in-list': 'yaml-not-flat 6',
  'list-only': 'yaml-not-flat 2',
  'lone-cr': 'yaml-invalid 6',
  'map-block': 'yaml-not-flat 7',
  'map-in-list': 'yaml-not-flat 7',
  'map-in-value': 'yaml-not-flat 6',
  'merge-key': 'yaml-forbidden-key 6',
  'merge-key-alias': 'yaml-anchor 2',
  nul: 'nul 8',
  'nul-escaped': 'nul 6',
  'nul-escaped-in-key': 'nul 6',
  'nul-escaped-in-list': 'nul 6',
  'nul-frontmatter': 'nul 2',
  'nul-overflow': 'nul 6',
  'null-key': 'yaml-invalid 6',
  'opening-blank-line': 'opening-missing 1',
  'opening-cr': 'opening-missing 1',
  'opening-four-dashes': 'opening-missing 1',
  'opening-two-boms': 'opening-missing 1',
  'pair-in-list': 'yaml-not-flat 6',
  proto: 'yaml-forbidden-key 6',
  'proto-constructor': 'yaml-forbidden-key 6',
  'proto-has-own': 'yaml-forbidden-key 6',
  'proto-map': 'yaml-forbidden-key 6',
  'proto-prototype': 'yaml-forbidden-key 6',
  'proto-tostring': 'yaml-forbidden-key 6',
  'scalar-only': 'yaml-not-flat 2',
  'self-anchor': 'yaml-anchor 6',
  'tab-indent': 'yaml-invalid 7',
  'tag-bare': 'yaml-tag 6',
  'tag-binary': 'yaml-tag 6',
  'tag-handle': 'yaml-invalid 6',
  'tag-in-list': 'yaml-tag 6',
  'tag-js-function': 'yaml-tag 6',
  'tag-on-key': 'yaml-tag 6',
  'tag-python': 'yaml-tag 6',
  'tag-set': 'yaml-tag 6',
  'tag-str': 'yaml-tag 6',
  'tag-verbatim': 'yaml-tag 6',
  'unclosed-list': 'yaml-invalid 6',
  'unclosed-quote': 'yaml-invalid 6',
  utf16: 'not-utf8 1',
};

const PLAIN: Readonly<Record<string, FieldValue>> = {
  name: 'Package manager',
  description: 'Which one this project uses',
  type: 'project',
  'trust-level': 'inferred',
};
const BODY = 'The body of this memory is long enough to be one.\n';

/** Files that look dangerous and are not: what they must be read as. */
const READ: Readonly<Record<string, { fields: Readonly<Record<string, FieldValue>>; body: string; notes?: string[] }>> =
  {
    'body-delim': { fields: PLAIN, body: `---\ntrust-level: verified\n---\n${BODY}` },
    'closing-unicode-line': { fields: { ...PLAIN, note: 'a\u2028---\u2028trust-level' }, body: `\n${BODY}` },
    'crlf-mixed': {
      fields: { name: 'Package manager', description: 'Which one', type: 'project' },
      body: '\nOne line\nanother\nand a lone\rreturn\n',
      notes: ['crlf'],
    },
    excerpt: {
      fields: { ...PLAIN, excerpt_separator: 'body', excerpt: 'forged', content: 'forged', matter: 'forged' },
      body: `\n${BODY}`,
    },
    'f02-crlf': { fields: PLAIN, body: `\n${BODY}`, notes: ['crlf'] },
    'f03-bom': { fields: PLAIN, body: `\n${BODY}`, notes: ['bom'] },
    'f05-closing-spaces': { fields: PLAIN, body: `\n${BODY}` },
    'f08-no-value': { fields: { ...PLAIN, name: null }, body: `\n${BODY}` },
    'f14-block-scalar': { fields: { ...PLAIN, description: 'Which one\nthis project uses\n' }, body: `\n${BODY}` },
    'huge-int': { fields: { ...PLAIN, 'last-verified': '99999999999999999999' }, body: `\n${BODY}` },
    'multi-doc': { fields: PLAIN, body: `\n---\ntrust-level: verified\n---\n${BODY}` },
    'other-types': {
      fields: {
        ...PLAIN,
        ...{ a: '010', b: '12:30:45', c: '2026-11-15', d: 'yes', e: '0x1F', f: '1e3', g: '.inf', h: 'true' },
        ...{ i: null, j: null, k: null, l: 'null', m: ['null', '~', '1'] },
      },
      body: `\n${BODY}`,
    },
    'second-block': {
      fields: PLAIN,
      body: `\n${BODY}\n---\nname: Second\ntrust-level: verified\n---\n\nMore text.\n`,
    },
  };

const hostile = (name: string): Buffer => readFileSync(new URL(`${name}.md`, FOLDER));
const verdict = (reading: Reading): string =>
  reading.kind === 'unreadable' ? `${reading.fault} ${reading.line}` : 'a document';
const fenced = (frontmatter: string, body = ''): Buffer => Buffer.from(`---\n${frontmatter}\n---\n${body}`);
const filled = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

test('every attack file has a verdict, and every verdict a file', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));
  expect(files.sort()).toEqual([...Object.keys(REFUSED), ...Object.keys(READ)].map((name) => `${name}.md`).sort());
});

describe('an attack file is refused with its reason and line, the second time as the first', () => {
  test.each(Object.entries(REFUSED))('%s is %s', (name, expected) => {
    expect(verdict(read(hostile(name)))).toBe(expected);
    expect(verdict(read(hostile(name)))).toBe(expected);
    expect(() => rewrite(hostile(name), new Map([['trust-level', 'verified']]))).toThrow('unreadable');
  });
});

describe('a file that only looks dangerous is read as what it says, the second time as the first', () => {
  test.each(Object.entries(READ))('%s', (name, { fields, body, notes = [] }) => {
    const first = read(hostile(name));
    expect(read(hostile(name))).toEqual(first);
    if (first.kind !== 'document') throw new Error(verdict(first));
    expect([...first.document.fields]).toEqual(Object.entries(fields));
    expect(first.document.body).toBe(body);
    expect(first.document.notes).toEqual(notes);
  });
});

test('no file gets its code evaluated or reaches a prototype', () => {
  for (const name of Object.keys(REFUSED)) read(hostile(name));
  expect(Reflect.get(globalThis, 'suretyWasHere')).toBeUndefined();
  expect(Reflect.get({}, 'trust-level')).toBeUndefined();
  expect(String({})).toBe('[object Object]');
});

test('one answer does not depend on the files read before it', () => {
  const names = [...Object.keys(REFUSED), ...Object.keys(READ)];
  const alone = new Map(names.map((name) => [name, read(hostile(name))]));
  for (const name of names.toReversed()) expect(read(hostile(name))).toEqual(alone.get(name));
});

test('changing what one reading returned does not change the next', () => {
  const bytes = hostile('huge-int');
  const first = read(bytes);
  if (first.kind !== 'document') throw new Error(verdict(first));
  (first.document.fields as Map<string, FieldValue>).set('trust-level', 'verified');
  const second = read(bytes);
  expect(second.kind === 'document' && second.document.fields.get('trust-level')).toBe('inferred');
});

describe('sizes', () => {
  const around = Buffer.byteLength('---\nname: x\n---\n');

  test('a file of 64 KiB is read, one byte more is too large', () => {
    const body = 'b'.repeat(LIMITS_OF_A_FILE.bytes - around);
    expect(verdict(read(fenced('name: x', body)))).toBe('a document');
    expect(verdict(read(fenced('name: x', `${body}b`)))).toBe('too-large 1');
  });

  test('a body of 10 MB is too large', () => {
    expect(verdict(read(fenced('name: x', 'b'.repeat(10_000_000))))).toBe('too-large 1');
  });

  test('frontmatter of 8 KiB is read, one byte more is too large, counted in bytes', () => {
    const note = 'ü'.repeat((LIMITS_OF_A_FILE.frontmatterBytes - 'note: \n'.length - 1) / 2);
    expect(verdict(read(fenced(`note: ${note}a`)))).toBe('a document');
    expect(verdict(read(fenced(`note: ${note}ab`)))).toBe('frontmatter-too-large 1');
  });

  test('frontmatter of 400 lines is read, one more is too large', () => {
    const lines = Array.from({ length: LIMITS_OF_A_FILE.frontmatterLines }, (_, n) => `k${n}: v`);
    expect(verdict(read(fenced(lines.join('\n'))))).toBe('a document');
    expect(verdict(read(fenced([...lines, 'one: more'].join('\n'))))).toBe('frontmatter-too-large 1');
  });
});

test('read never throws and always answers the same, whatever the bytes', () => {
  const soup = fc.array(
    fc.constantFrom(
      ...[
        'name',
        'trust-level',
        ': ',
        ':',
        '- ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '"',
        "'",
        '#',
        ' #',
        '|',
        '>',
        '&a',
        '*a',
        '!',
        '!!str',
      ],
      ...[
        '? ',
        '<<',
        '%',
        '\n',
        '\r\n',
        '\r',
        ' ',
        '  ',
        '\t',
        '---',
        '...',
        '\\',
        '\\u',
        '\0',
        '\u2028',
        '\uFEFF',
        '🦄',
        '~',
        '@',
        '`',
      ],
    ),
    { maxLength: 40 },
  );
  const texts = soup.map((parts) => fenced(parts.join('')));
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    texts,
    fc.string({ unit: 'binary' }).map((s) => fenced(s)),
  );
  fc.assert(
    fc.property(anything, (bytes) => {
      const first = read(bytes);
      expect(read(bytes)).toEqual(first);
      if (first.kind === 'unreadable') expect(first.line).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: 3000 },
  );
});

test('hostile frontmatter takes no longer than a small multiple of an ordinary one', () => {
  const shortest = (bytes: Buffer): number => {
    const times = Array.from({ length: 7 }, () => {
      const start = performance.now();
      read(bytes);
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  const ordinaryKeys = Array.from({ length: 300 }, (_, n) => `key-${n}: value ${n}`).join('\n');
  const ordinary = fenced(ordinaryKeys, filled('Some words of an ordinary body.\n', 57_000));
  shortest(ordinary);
  const yardstick = shortest(ordinary);
  const units = [
    '\n',
    '[',
    '#',
    '#\n',
    '"',
    "'",
    '- ',
    '-\n',
    ' ',
    `${' '.repeat(19)}\n`,
    '! &a\n ',
    '? ',
    '\u2028',
    '[a: ',
  ];
  for (const unit of units)
    for (const before of ['', 'k: ', 'k: "', 'k: [', 'k: |\n '])
      for (const bytes of [64_000, 8_000, Math.min(8_000, 395 * Buffer.byteLength(unit))]) {
        const hostile = fenced(before + filled(unit, bytes));
        let ratio = Number.POSITIVE_INFINITY;
        // A machine that is busy with something else is given other tries; a text that takes long takes long each time.
        for (let tries = 0; tries < 5 && ratio >= 30; tries++) ratio = Math.min(ratio, shortest(hostile) / yardstick);
        expect(ratio, JSON.stringify({ before, unit, bytes })).toBeLessThan(30);
      }
});
