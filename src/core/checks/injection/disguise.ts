/** A text with its disguise removed. */
export interface Disguised {
  readonly text: string;
  /** The folded text's offset for an offset in `text`; undefined if letters were replaced one by one. */
  readonly from?: (offset: number) => number;
}

/** Digits and signs that stand for letters. */
const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const MIXED = /[a-z013457@$!]{3,}/g;
/** A disguised word must spell one of these before the whole text is read. */
const TELLING = /ignore|disregard|forget|override|instruct|prompt|pretend|unrestrict|jailbr/;
const SPACED = /(?<!\S)(?:[a-z] ){7,200}[a-z](?!\S)/gi;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}/g;
const SENTENCE = /^[\t\n\r\x20-\x7e]{12,}$/;

/** Numbers for letters, a space after every letter, base64. Each costs one search in an ordinary text. */
export function disguised(words: string, folded: string): readonly Disguised[] {
  const found: Disguised[] = [];
  const spelled = words.replaceAll(MIXED, (word) =>
    /[a-z]/.test(word) && /[013457@$!]/.test(word) ? [...word].map((char) => LEET[char] ?? char).join('') : word,
  );
  if (spelled !== words && TELLING.test(spelled)) found.push({ text: spelled });
  const pieces: { readonly text: string; readonly at: number }[] = [];
  for (const { 0: run, index } of folded.matchAll(SPACED))
    pieces.push({ text: run.replaceAll(' ', '').toLowerCase(), at: index });
  for (const { 0: run, index } of folded.matchAll(BASE64)) {
    const plain = Buffer.from(run, 'base64').toString('latin1');
    if (SENTENCE.test(plain) && plain.includes(' ')) pieces.push({ text: plain.toLowerCase(), at: index });
  }
  if (pieces.length > 0) found.push(joined(pieces));
  return found;
}

/** Joins all pieces into one text, so that ten thousand pieces cost no more than one. */
function joined(pieces: readonly { readonly text: string; readonly at: number }[]): Disguised {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of pieces) {
    starts.push(length);
    length += text.length + 1;
  }
  return {
    text: pieces.map(({ text }) => text).join('\n'),
    from: (offset) => pieces[starts.findLastIndex((start) => start <= offset)]?.at ?? 0,
  };
}
