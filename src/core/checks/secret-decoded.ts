/** What a text says when one layer of encoding is taken off, and where each piece of it stood. */
export interface Decoded {
  readonly text: string;
  /** The encoded run that holds an offset of `text`. */
  runAt(offset: number): readonly [start: number, end: number];
}

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}/g;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;
const PERCENT = /(?<!\S)(?=[^\s%]{0,400}%[0-9A-Fa-f]{2})\S{16,4000}/g;

/** One layer and no more: every further one costs as much again, and a reader that decodes twice is looking for trouble. */
export function decodedIn(text: string): Decoded | undefined {
  const pieces: Piece[] = [];
  for (const { 0: run, index } of text.matchAll(BASE64)) {
    const plain = Buffer.from(run, 'base64').toString('latin1');
    if (PRINTABLE.test(plain)) pieces.push({ text: plain, start: index, end: index + run.length });
  }
  if (text.includes('%')) {
    for (const { 0: run, index } of text.matchAll(PERCENT)) {
      const plain = run.replaceAll(/%([2-7][0-9A-Fa-f])/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
      if (plain !== run) pieces.push({ text: plain, start: index, end: index + run.length });
    }
  }
  if (pieces.length === 0) return undefined;
  const starts: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    starts.push(length);
    length += piece.text.length + 1;
  }
  return {
    text: pieces.map((piece) => piece.text).join('\n'),
    runAt: (offset) => {
      const piece = pieces[starts.findLastIndex((start) => start <= offset)];
      return [piece?.start ?? 0, piece?.end ?? 0];
    },
  };
}
