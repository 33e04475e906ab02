import { matchesOf } from '../text/matches-of.ts';

/** A text with one layer of encoding removed. */
interface Decoded {
  readonly text: string;
  /** The encoded run that holds an offset of `text`. */
  runAt(offset: number): readonly [start: number, end: number];
}

interface DecodedPiece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}/g;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;
const ESCAPED = /[%&\\*<`~]/;
/** A word as markdown and HTML see it: elements and comments do not end it. */
const RUN = /(?:<[^<>\n]{1,80}>|\S){1,4000}/g;
/** Single letters with one to eight spaces or line breaks between. */
const SPACED = /(?<!\S)(?:\S\s{1,8}){16,400}\S(?!\S)/g;
/** At least 16 characters, because no token is shorter. */
const LEAST = 16;

/** Removes one layer only, because each further layer costs as much again. */
export function decodedIn(text: string): Decoded | undefined {
  const pieces: DecodedPiece[] = [];
  for (const { 0: run, index } of matchesOf(text, BASE64)) {
    const plain = Buffer.from(run, 'base64').toString('latin1');
    if (PRINTABLE.test(plain)) pieces.push({ text: plain, start: index, end: index + run.length });
  }
  for (const { 0: run, index } of matchesOf(text, SPACED))
    pieces.push({ text: run.replaceAll(/\s/g, ''), start: index, end: index + run.length });
  if (ESCAPED.test(text)) {
    for (const { 0: run, index } of text.matchAll(RUN)) {
      if (run.length < LEAST || !ESCAPED.test(run)) continue;
      const plain = unescaped(run);
      if (plain.length >= LEAST && plain !== run) pieces.push({ text: plain, start: index, end: index + run.length });
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

/** HTML entities of characters that tokens use. */
const NAMED: Readonly<Record<string, string>> = {
  lowbar: '_',
  UnderBar: '_',
  hyphen: '-',
  dash: '-',
  period: '.',
  sol: '/',
  plus: '+',
  equals: '=',
  colon: ':',
};

const CODED =
  /%([2-7][0-9A-Fa-f])|&#x0{0,4}([2-7][0-9A-Fa-f]);|&#0{0,4}([0-9]{2,3});|&([A-Za-z]{3,8});|\\(?:u00|x)([2-7][0-9A-Fa-f])/g;
/** Elements, emphasis and backslash escapes: they are invisible when rendered and split a token in the source. */
const UNSHOWN = /<[^<>\n]{1,80}>|\\(?=[!-/:-@[-`{-~])|[*`]|~~/g;

/** As a browser, a markdown renderer or a JSON parser would show it. */
export function unescaped(run: string): string {
  const shown = run.replaceAll(
    CODED,
    (whole, percent?: string, hex?: string, decimal?: string, name?: string, json?: string) => {
      const code = percent ?? hex ?? json;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return decimal === undefined ? (NAMED[name ?? ''] ?? whole) : String.fromCharCode(Number(decimal) & 0x7f);
    },
  );
  return shown.replaceAll(UNSHOWN, '');
}
