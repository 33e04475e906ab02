import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemoryId } from '../../../src/core/memory/ids.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { TYPES } from '../../../src/core/memory/limits.ts';
import { digestOf, lengthOf, memoryOf, sayingOf } from '../../../src/core/memory/memory.ts';
import { Untrusted } from '../../../src/core/text/safe-text.ts';
import { read } from '../../../src/store/format/format.ts';
import { cpuTime } from '../../../testkit/cpu-time.ts';

type Parts = Parameters<typeof memoryOf>[0];

const PLAIN: Parts = {
  id: 'user_editor' as MemoryId,
  type: 'user',
  name: 'Editor',
  description: 'Which editor',
  tags: null,
  project: null,
  body: '\nThe operator uses Helix and nothing else.\n',
};
const RICH: Parts = {
  id: 'project_build' as MemoryId,
  type: 'project',
  name: 'Сборка "два ядра" \\ \u2028 🙂',
  description: 'naïve <b>&amp;</b>',
  tags: ['a', 'b, c', ''],
  project: 'owner/name',
  body: '# Title\r\n\r\nHindi हिन्दी,\ttabs and "quotes".\n\r\n',
};

/** Written again here, from SPEC 4.3 alone. */
function byHand(p: Parts): string {
  const body = p.body.split('\r\n').join('\n');
  const json = JSON.stringify(['surety-1', p.id, p.type, p.name, p.description, p.tags, p.project, body]);
  return createHash('sha256').update(json, 'utf8').digest('hex');
}

const digest = (changes: Partial<Parts> = {}, of: Parts = PLAIN) => digestOf(memoryOf({ ...of, ...changes }));

describe('the digest', () => {
  test('is pinned: a receipt of today must vouch for the same text in every later version', () => {
    expect(digest()).toBe(byHand(PLAIN));
    expect(digest({}, RICH)).toBe(byHand(RICH));
    expect(digest()).toMatchInlineSnapshot(`"14072da18176b9a2377a72af17423ee20a2c8f6986ef8c5f759f57a1652c6f8d"`);
    expect(digest({}, RICH)).toMatchInlineSnapshot(
      `"8581e0ea0cf54c70d3216ffe696bb4679caa3dee3e4522f17ca480cd0f67f08b"`,
    );
  });

  test('is that of the JSON array of SPEC 4.3, for any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(
        fc.record({
          id: fc.constantFrom('user_a', 'user_b').map((id) => id as MemoryId),
          type: fc.constantFrom(...TYPES),
          name: text,
          description: text,
          tags: fc.option(fc.array(text, { maxLength: 3 })),
          project: fc.option(text),
          body: text,
        }),
        (parts) => digest({}, parts) === byHand(parts),
      ),
    );
  });

  test('is the same whether the body ends its lines with CRLF or LF, and with nothing else', () => {
    const lines = ['one', '', 'two three', ''];
    expect(digest({ body: lines.join('\r\n') })).toBe(digest({ body: lines.join('\n') }));
    expect(digest({ body: lines.join('\r') })).not.toBe(digest({ body: lines.join('\n') }));
    expect(digest({ body: lines.join('\u2028') })).not.toBe(digest({ body: lines.join('\n') }));
  });

  test.each<[string, Partial<Parts>]>([
    ['the id', { id: 'user_other' as MemoryId }],
    ['the type', { type: 'feedback' }],
    ['the name', { name: 'editor' }],
    ['a space after the name', { name: 'Editor ' }],
    ['the description', { description: 'Which editor?' }],
    ['an empty list of tags', { tags: [] }],
    ['one tag', { tags: ['a'] }],
    ['the project', { project: 'x' }],
    ['an empty project', { project: '' }],
    ['one letter of the body', { body: PLAIN.body.replace('Helix', 'Felix') }],
    ['a blank line at the end', { body: `${PLAIN.body}\n` }],
    ['a space at the end of a line', { body: PLAIN.body.replace('else.', 'else. ') }],
    ['an invisible character', { body: PLAIN.body.replace('else', 'el\u200Bse') }],
    ['a letter composed differently', { name: 'É'.normalize('NFD') }],
  ])('changes with %s', (_, change) => {
    expect(digest(change)).not.toBe(digest());
  });

  test('tells tags apart that look alike when joined', () => {
    const seen = [['a,b'], ['a', 'b'], ['b', 'a'], ['a', 'b', ''], ['a b'], []].map((tags) => digest({ tags }));
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('no field can run into the next one', () => {
    const field = fc.constantFrom('', 'a', '"', '","', 'a","b', 'null', '\\', ']', '\n');
    const parts = fc.record({ name: field, description: field, project: fc.option(field), body: field });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(digest(one) === digest(other)).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });

  const file = (frontmatter: string, body = 'The operator uses Helix and nothing else.\n') => {
    const { memory } = subjectOf('user_editor', read(Buffer.from(`---\n${frontmatter}---\n${body}`)), 'found');
    return memory && digestOf(memory);
  };
  const BASE = 'name: Editor\ndescription: Which editor\ntype: user\n';

  test.each([
    ['dates', 'created-at: 2020-01-01T00:00:00Z\nlast-verified: 2026-01-01\n'],
    ['the tier it claims', 'trust-level: verified\n'],
    ['where it came from', 'source-machine: elsewhere\n'],
    ['quarantine keys', 'quarantined-at: 2020-01-01T00:00:00Z\nquarantine-reason: x\nquarantined-by: y\n'],
    ['unknown keys and comments', 'mood: good # really\n# a comment\n'],
  ])('%s in the file do not matter', (_, extra) => {
    expect(file(BASE + extra)).toBe(file(BASE));
    expect(file(extra + BASE)).toBe(file(BASE));
  });

  test('no tags, an empty list and a key with nothing behind it: the first and last are the same, the list is not', () => {
    expect(file(`${BASE}tags:\n`)).toBe(file(BASE));
    expect(file(`${BASE}tags: []\n`)).not.toBe(file(BASE));
    expect(file(`${BASE}tags: a\n`)).toBe(file(`${BASE}tags: [a]\n`));
  });

  test('covers anchors where there are any, and is as before where there are none', () => {
    const anchors = [['src/main.ts'], ['package.json', '"engines"']];
    const { id, type, name, description, tags, project, body } = RICH;
    const parts = ['surety-2', id, type, name, description, tags, project, body.split('\r\n').join('\n'), anchors];
    expect(digest({ anchors }, RICH)).toBe(createHash('sha256').update(JSON.stringify(parts)).digest('hex'));
    expect(digest({ anchors: [] }, RICH)).toBe(digest({}, RICH));
    expect(file(`${BASE}anchors: [[a.ts], [b.ts, "x y"]]\n`)).not.toBe(file(BASE));
    expect(file(`${BASE}anchors:\n  - [a.ts]\n  - - b.ts\n    - x y\n`)).toBe(
      file(`${BASE}anchors: [[a.ts], [b.ts, "x y"]]\n`),
    );
    expect(file(`${BASE}anchors: [[a, b]]\n`)).not.toBe(file(`${BASE}anchors: [[a], [b]]\n`));
    for (const none of ['anchors: []\n', 'anchors:\n']) expect(file(BASE + none)).toBe(file(BASE));
    for (const bad of ['a.ts', '[a.ts]', '[[a, b, c]]', '[[]]', '[a, [b]]', '[[[a]]]'])
      expect(file(`${BASE}anchors: ${bad}\n`)).toBeUndefined();
    expect(file(`${BASE}asked-as: [how, why not]\n`)).toBe(file(BASE));
  });

  test('the spelling of the frontmatter does not matter, what it says does', () => {
    expect(file('name: "Editor"\ndescription: >-\n  Which\n  editor\ntype: user\n')).toBe(file(BASE));
    expect(file(BASE.replace('Editor', '" Editor"'))).not.toBe(file(BASE));
  });
});

describe('what a body says', () => {
  const saying = (body: string, name = 'Deploys', project: string | null = null) =>
    sayingOf({
      body: Untrusted.of(body),
      name: Untrusted.of(name),
      project: project === null ? null : Untrusted.of(project),
    });

  test('is said under any name and project, unless it is under 30 characters', () => {
    const long = 'deploy on fridays and on no other day';
    expect(saying(long, 'Fridays', 'owner/name')).toBe(saying(long));
    expect(saying('x'.repeat(30), 'Fridays')).toBe(saying('x'.repeat(30)));
    expect(saying('yes', 'Fridays')).not.toBe(saying('yes'));
    expect(saying('yes', 'Deploys', 'owner/name')).not.toBe(saying('yes'));
    expect(saying('YES', 'DEPLOYS')).toBe(saying('yes'));
  });

  test.each([
    ['case', 'Deploy On Fridays'],
    ['spacing', '  deploy\n\n on \t fridays '],
    ['line ends', 'deploy\r\non\rfridays'],
    ['width', 'ｄｅｐｌｏｙ on fridays'],
    ['zero-width characters', 'dep\u200Bloy\u2060 on fri\u00ADdays'],
    ['tag characters', 'deploy on fridays\u{E0041}\u{E0042}'],
    ['no-break spaces', 'deploy\u00A0on fridays'],
    ['controls', 'dep\u0000loy on\u0007 fridays'],
    ['private-use characters', 'deploy \uE000on fridays'],
  ])('is the same whatever its %s', (_, other) => {
    expect(saying(other)).toBe(saying('deploy on fridays'));
  });

  test('is another for another text, also in Korean', () => {
    expect(saying('deploy on mondays')).not.toBe(saying('deploy on fridays'));
    expect(saying('빌드는 두 개의 코어에서')).not.toBe(saying('빌드는 세 개의 코어에서'));
    expect(saying('빌드는 두 개의 코어에서')).toBe(saying('빌드는 두 개의 코어에서'.normalize('NFD')));
  });

  test('never throws and does not change by being folded twice over', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (body) => {
        expect(saying(` ${body}\n`)).toBe(saying(body));
      }),
    );
    expect(saying('\uD800 lone')).toMatch(/^[0-9a-f]{64}$/);
  });
});

test('lengths count code points after NFC', () => {
  expect(lengthOf('é'.normalize('NFD'))).toBe(1);
  expect(lengthOf('👍')).toBe(1);
  expect(lengthOf('한국어'.normalize('NFD'))).toBe(3);
  expect(lengthOf('')).toBe(0);
});

test('a length counts code points after NFC, also under more marks than any script has', () => {
  expect(lengthOf('e\u0301'.repeat(10))).toBe(10);
  expect(lengthOf('🙂e\u0301한')).toBe(3);
  expect(lengthOf(`e${'\u0301'.repeat(32)}`)).toBe(32);
  expect(lengthOf(`x${'\u0316\u0301'.repeat(5_000)}`)).toBe(10_001);
});

test('eight times the marks take about eight times as long to count, not sixty-four', () => {
  const marks = (many: number) => `x${'\u0301\u0316'.repeat(many)}`;
  // So often that it takes several ticks of a clock that counts in ticks.
  const often = (text: string) => Array.from({ length: 40 }, () => lengthOf(text));
  const quickest = (text: string) => Math.min(...Array.from({ length: 3 }, () => cpuTime(() => often(text))));
  const [little, much] = [marks(4_000), marks(32_000)];
  quickest(little);
  expect(quickest(much) / quickest(little)).toBeLessThan(32);
});
