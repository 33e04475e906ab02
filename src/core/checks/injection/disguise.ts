/** What a text says to somebody who reads through a disguise. */
export interface Disguised {
  readonly text: string;
  /** The offset in the folded text of an offset in `text`; undefined where letters only stand in for letters. */
  readonly from?: (offset: number) => number;
}

/** Digits and marks that pass for letters. */
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
/** What such a word must spell before the rest is worth a look. */
const TELLING = /ignore|disregard|forget|override|instruct|prompt|pretend|unrestrict|jailbr/;
const SPACED = /(?<!\S)(?:[a-z] ){7,200}[a-z](?!\S)/gi;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}/g;
const SENTENCE = /^[\t\n\r\x20-\x7e]{12,}$/;

/** Numbers for letters, a space after every letter, base64. Each costs one look where there is nothing to see. */
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

/** One text of all pieces, so that ten thousand of them cost no more than one. */
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
