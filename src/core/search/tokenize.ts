import { once } from '../once.ts';
import { folded, pairsOf, scriptRuns, withoutArticle } from './fold-letters.ts';
import { stemOf } from './stem.ts';
import { STOP_WORDS } from './word-forms.ts';

/** Something written without a space: a word, or an identifier with parts. */
export interface Chunk {
  /** What is compared, in order: stems, or pairs of characters in a script without spaces. */
  readonly terms: readonly string[];
  /** All parts joined, so that `userId`, `user_id` and `userid` match; null for a plain word. */
  readonly whole: string | null;
  readonly kind: 'word' | 'identifier' | 'hyphenated' | 'unspaced';
  /** As written, without case and accents. */
  readonly plain: string;
}

const chunk = once(
  () =>
    /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:[_.\-/:@'’]+|::|->)[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu,
);
/** `chunk` for ASCII text, several times as fast. */
const PLAIN_CHUNK = /[A-Za-z0-9]+(?:(?:[_.\-/:@']+|::|->)[A-Za-z0-9]+)*(?:\+\+|#(?![A-Za-z0-9]))?/g;
const PLAIN_TEXT = /^[\0-\x7F]*$/;
const word = once(() => /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu);
const camel = once(() => /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
const CONTRACTED = /(?:n['’]t|['’](?:s|re|ve|ll|d|m))$/iu;
const SIGNED: Readonly<Record<string, string>> = { '++': 'plusplus', '#': 'sharp' };
const LONGEST_TERM = 60;
const MOST_PARTS_JOINED = 5;

export function chunksOf(text: string): readonly Chunk[] {
  const known = text.length <= LONGEST_RECENT ? recentChunks.get(text) : undefined;
  if (known !== undefined) return known;
  const found = PLAIN_TEXT.test(text) ? text.match(PLAIN_CHUNK) : text.normalize('NFKC').match(chunk());
  const chunks: Chunk[] = [];
  for (const written of found ?? []) chunks.push(...chunkOf(written));
  return chunks;
}

/** Cached, because most texts consist of few different words. */
const recentChunks = new Map<string, readonly Chunk[]>();
const MOST_RECENT = 8_000;
const LONGEST_RECENT = 24;

function chunkOf(written: string): readonly Chunk[] {
  const known = recentChunks.get(written);
  if (known !== undefined) return known;
  const chunks = splitChunk(written);
  if (recentChunks.size >= MOST_RECENT) recentChunks.clear();
  if (written.length <= LONGEST_RECENT) recentChunks.set(written, chunks);
  return chunks;
}

/** What has no sign, no part to split off and no letter to fold but its case: nearly every word. */
const PLAIN_WORD = /^(?:[a-z0-9]+|[A-Z][a-z]*)$/;

function splitChunk(written: string): Chunk[] {
  if (PLAIN_WORD.test(written)) {
    const plain = written.toLowerCase();
    return [plainWord(plain, plain)];
  }
  const sign = /(?:\+\+|#)$/.exec(written)?.[0] ?? '';
  const bare = written.slice(0, written.length - sign.length).replace(CONTRACTED, '');
  // `C++` and `C#` are words of their own: without the sign they would be just c.
  const signed = SIGNED[sign];
  if (signed !== undefined && /^\p{L}+$/u.test(bare)) return [plainWord(folded(bare) + signed, folded(written))];
  const words = (bare.match(word()) ?? []).flatMap((each) => each.split(camel()));
  if (words.length === 1) return wordChunks(words[0] ?? '');
  if (words.every((word) => scriptRuns(word).every((run) => !run.unspaced))) {
    const parts = words.map(folded).filter((part) => part !== '');
    const hyphenated =
      /^[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)+$/u.test(bare) && words.length === bare.split(/['’-]/).length;
    const joins = parts.length <= MOST_PARTS_JOINED && !/[/:@]/.test(bare);
    return [
      {
        terms: parts.map(termOf),
        whole: joins ? parts.join('').slice(0, LONGEST_TERM) : null,
        kind: hyphenated ? 'hyphenated' : 'identifier',
        plain: folded(bare),
      },
    ];
  }
  return words.flatMap(wordChunks);
}

function wordChunks(word: string): Chunk[] {
  return scriptRuns(word).flatMap(({ text, unspaced }): Chunk[] => {
    const plain = folded(text);
    if (plain === '') return [];
    if (!unspaced) return [plainWord(plain, plain)];
    return [{ terms: pairsOf(plain), whole: null, kind: 'unspaced', plain }];
  });
}

function plainWord(word: string, plain: string): Chunk {
  return { terms: [termOf(word)], whole: null, kind: 'word', plain };
}

function termOf(word: string): string {
  return stemOf(withoutArticle(word)).slice(0, LONGEST_TERM);
}

export function isStopWord({ kind, plain }: Chunk): boolean {
  return kind === 'word' && STOP_WORDS.has(plain);
}
