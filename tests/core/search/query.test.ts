import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery, snippetAround } from '../../../src/core/search/query.ts';
import { stemOf } from '../../../src/core/search/stem.ts';
import { chunksOf } from '../../../src/core/search/tokenize.ts';

const plain = (query: string) => parseQuery(query).units.map((unit) => unit.plain);

describe('a query becomes plain words', () => {
  test.each([
    ['X01', 'secret OR 1=1', ['secret']],
    ['X02', 'NEAR(secret, auth)', ['near', 'secret', 'auth']],
    ['X04', 'the is', []],
    ['X04', 'a', []],
    ['only signs', '"*^():-+', []],
    ['column filters', 'name:secret', ['name:secret']],
    ['a letter alone is dropped beside words', 'plan b', ['plan']],
    ['a letter alone is looked for when it is all there is', 'x', ['x']],
  ])('%s: %s', (_id, query, words) => {
    expect(plain(query)).toEqual(words);
  });

  test.each([
    ['user_id', ['user', 'id']],
    ['React.FC', ['react', 'fc']],
    ['auth-service', ['auth', 'servic']],
    ['parseHTTPResponse', ['pars', 'http', 'respons']],
    ['__init__.py', ['init', 'py']],
    ['v1.2.3', ['v1', '2', '3']],
    ['a/b/c.ts:42', ['a', 'b', 'c', 'typescript', '42']],
    ['userId', ['user', 'id']],
  ])('X03: %s is one unit whose parts are adjacent', (identifier, parts) => {
    const { units } = parseQuery(identifier);
    expect(units).toHaveLength(1);
    expect(units[0]?.terms).toEqual(parts);
  });

  test('.env is the word env, and C++ and C# are words of their own', () => {
    expect(parseQuery('.env').units[0]?.terms).toEqual(parseQuery('env').units[0]?.terms);
    const [cpp, csharp, c] = ['C++', 'C#', 'c'].map((name) => parseQuery(name).units[0]?.terms.join());
    expect(new Set([cpp, csharp, c]).size).toBe(3);
  });

  test('a quoted phrase is searched literally, with its stop words', () => {
    const [phrase] = parseQuery('who said "state of the art"').units;
    expect(phrase).toMatchObject({ kind: 'phrase', terms: ['state', 'of', 'the', 'art'], keys: ['state', 'art'] });
    expect(parseQuery('"the of"').units).toEqual([]);
  });

  test('a query of 400 characters has at most 32 units', () => {
    const query = Array.from({ length: 80 }, (_, n) => `w${n}x`)
      .join(' ')
      .slice(0, 400);
    expect(parseQuery(query).units).toHaveLength(32);
  });
});

describe('forms of a word match', () => {
  test.each([
    ['went', 'going'],
    ['children', 'child'],
    ['bought', 'buying'],
    ['decisions', 'decide'],
    ['configuration', 'configured'],
    ['policies', 'policy'],
    ['running', 'ran'],
    ['indices', 'index'],
    ['hopping', 'hop'],
    ['databases', 'db'],
  ])('%s and %s', (one, other) => {
    expect(stemOf(one)).toBe(stemOf(other));
  });

  test.each([
    ['café', 'cafe'],
    ['Straße', 'strasse'],
    ['ÜBER', 'uber'],
    ['naïve', 'naive'],
    ['ｆｕｌｌ', 'full'],
    ['كِتَاب', 'كتاب'],
    ['الكتاب', 'كتاب'],
    ['Łódź', 'lodz'],
  ])('%s and %s', (one, other) => {
    expect(chunksOf(one).map((chunk) => chunk.terms)).toEqual(chunksOf(other).map((chunk) => chunk.terms));
  });

  test('the marks of Hindi stay, and Korean is not split into its letters', () => {
    expect(chunksOf('हिन्दी')[0]?.terms).toEqual(['हिन्दी']);
    expect(chunksOf('한국어')[0]?.terms).toEqual(['한국', '국어', '어']);
  });
});

test('no query is an error, and no term has anything but letters, digits and marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (query) => {
      for (const { terms, keys, whole } of parseQuery(query).units) {
        for (const term of [...terms, ...keys, whole ?? 'x']) expect(term).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('plain letters are split alike alone and beside other letters', () => {
  const ascii = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    fc
      .array(fc.constantFrom('a', 'B', '1', '_', '.', '-', '/', ':', '@', "'", '+', '#', '>', ' ', 'it'), {
        maxLength: 30,
      })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(ascii, (text) => {
      expect(chunksOf(text)).toEqual(chunksOf(`${text} é`).slice(0, -1));
    }),
    { numRuns: 2_000 },
  );
});

test('a snippet shows where the words are', () => {
  const text = `${'before '.repeat(100)}needle ${'after '.repeat(100)}`;
  expect(snippetAround(text, parseQuery('needle'), 60)).toMatch(/^….*needle.*…$/);
  const faces = `${'🙂 '.repeat(200)}needle ${'🙃 '.repeat(200)}`;
  expect([...snippetAround(faces, parseQuery('needle'), 60)]).toHaveLength(62);
  expect(snippetAround(faces, parseQuery('needle'), 60)).toContain('needle');
});

test.each([
  ['deploying', 'deployed'],
  ['children', 'child'],
  ['cafe', 'Café'],
  ['user_id', 'userId'],
  ['strasse', 'Straße'],
  ['データベース', 'データ'],
])('a snippet for %s shows the place with %s', (asked, written) => {
  const text = `${'before it '.repeat(100)}${written} ${'afterwards '.repeat(100)}`;
  expect(snippetAround(text, parseQuery(asked), 60)).toContain(written);
});
