/**
 * A ledger is one chain of lines in one or several files. The first is named after the ledger alone, each further one also
 * after the number of its first entry. docs/ledger-format.md is the contract.
 */
export interface Segment {
  readonly fingerprint: string;
  /** The number of its first entry, as its name has it. */
  readonly first: number;
}

const NAME = /^([0-9a-f]{64})(?:\.([0-9]{9}|[1-9][0-9]{9,14}))?\.jsonl$/;
const DIGITS = 9;

/** Which part of which ledger a file of this name is; undefined for any other name. */
export function segmentNamed(name: string): Segment | undefined {
  const [, fingerprint, digits] = NAME.exec(name) ?? [];
  const first = Number(digits ?? 0);
  // One name for each place: entry 0 stands in the file without a number.
  if (fingerprint === undefined || (digits !== undefined && first === 0)) return undefined;
  return { fingerprint, first };
}

export function nameOfSegment({ fingerprint, first }: Segment): string {
  return first === 0 ? `${fingerprint}.jsonl` : `${fingerprint}.${String(first).padStart(DIGITS, '0')}.jsonl`;
}

/** How the line of an entry begins; with it, its number. */
const BEGINS = /^\{"v":[0-9]{1,3},"seq":([0-9]{1,15}),/;

/** The number that a line says it has; undefined for what is not the beginning of an entry. */
export function seqOf(line: string): number | undefined {
  const seq = BEGINS.exec(line)?.[1];
  return seq === undefined ? undefined : Number(seq);
}

/** The text of a ledger from the texts of its files, in order. What a file repeats of those before it is there once. */
export function joinTexts(texts: readonly string[]): string {
  let whole = '';
  for (const text of texts) whole += text.slice(repeatedIn(whole, text));
  return whole;
}

/** How much of a text stands in the whole already, line for line; 0 where it says something else there. */
function repeatedIn(whole: string, text: string): number {
  const first = seqOf(text);
  const last = seqOf(whole.slice(whole.lastIndexOf('\n', whole.length - 2) + 1));
  if (first === undefined || last === undefined || first > last) return 0;
  const begins = BEGINS.exec(text)?.[0] ?? '';
  // A line feed stands nowhere but at the end of a line: within one it is written as two characters.
  const at = whole.startsWith(begins) ? 0 : whole.indexOf(`\n${begins}`) + 1;
  if (at === 0 && !whole.startsWith(begins)) return 0;
  const length = Math.min(whole.length - at, text.length);
  return whole.slice(at, at + length) === text.slice(0, length) ? length : 0;
}

/** The text of a ledger cut into files that begin with these entries, where it has them; the first has what is before. */
export function cutText(text: string, firsts: Iterable<number>): Map<number, string> {
  const wanted = new Set(firsts);
  const files = new Map<number, string>();
  let [first, begun, at] = [0, 0, 0];
  while (at < text.length) {
    const end = text.indexOf('\n', at) + 1 || text.length;
    const seq = seqOf(text.slice(at, at + 40));
    if (at > begun && seq !== undefined && seq > first && wanted.has(seq)) {
      files.set(first, text.slice(begun, at));
      [first, begun] = [seq, at];
    }
    at = end;
  }
  if (text.length > begun) files.set(first, text.slice(begun));
  return files;
}
