/**
 * A ledger is one chain of lines in one or more files. The first file is named after the ledger alone. The name of each
 * further file also holds the number of its first entry. docs/ledger-format.md is the contract.
 */
interface Segment {
  readonly fingerprint: string;
  /** The number of its first entry, from the file's name. */
  readonly first: number;
}

const NAME = /^([0-9a-f]{64})(?:\.([0-9]{9}|[1-9][0-9]{9,14}))?\.jsonl$/;
const DIGITS = 9;

/** The segment that a file of this name holds; undefined for any other name. */
export function segmentNamed(name: string): Segment | undefined {
  const [, fingerprint, digits] = NAME.exec(name) ?? [];
  const first = Number(digits ?? 0);
  // Each segment has one name: entry 0 is in the file without a number.
  if (fingerprint === undefined || (digits !== undefined && first === 0)) return undefined;
  return { fingerprint, first };
}

export function nameOfSegment({ fingerprint, first }: Segment): string {
  return first === 0 ? `${fingerprint}.jsonl` : `${fingerprint}.${String(first).padStart(DIGITS, '0')}.jsonl`;
}

/** The beginning of an entry's line, with the entry's number. */
const BEGINS = /^\{"v":[0-9]{1,3},"seq":([0-9]{1,15}),/;

/** The entry number that a line claims; undefined if the line does not begin like an entry. */
export function seqOf(line: string): number | undefined {
  const seq = BEGINS.exec(line)?.[1];
  return seq === undefined ? undefined : Number(seq);
}

/** Joins the texts of a ledger's files, in order. Lines that a file repeats from the files before it are taken once. */
export function joinTexts(texts: readonly string[]): string {
  let whole = '';
  for (const text of texts) whole += text.slice(repeatedIn(whole, text));
  return whole;
}

/** How many of a text's first characters the whole has already, line for line; 0 if the text differs there. */
function repeatedIn(whole: string, text: string): number {
  const first = seqOf(text);
  const last = seqOf(whole.slice(whole.lastIndexOf('\n', whole.length - 2) + 1));
  if (first === undefined || last === undefined || first > last) return 0;
  const begins = BEGINS.exec(text)?.[0] ?? '';
  // A line feed is only at the end of a line: JSON writes one inside a text as two characters.
  const at = whole.startsWith(begins) ? 0 : whole.indexOf(`\n${begins}`) + 1;
  if (at === 0 && !whole.startsWith(begins)) return 0;
  const length = Math.min(whole.length - at, text.length);
  return whole.slice(at, at + length) === text.slice(0, length) ? length : 0;
}

/**
 * Cuts a ledger's text into files that begin with these entries, as far as it has them. The first file holds everything
 * before them.
 */
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
