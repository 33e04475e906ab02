import { isUtf8 } from 'node:buffer';
import { type Fault, LIMITS_OF_A_FILE, type Unreadable } from '../../core/memory/document.ts';

/** One line of a file with its line end, so that every byte can be restored. */
export interface SourceLine {
  readonly text: string;
  readonly end: '\n' | '\r\n' | '';
}

/** A file split at its two `---` lines, before any YAML is read. */
export interface Fenced {
  readonly kind: 'fenced';
  readonly bom: boolean;
  readonly crlf: boolean;
  readonly opening: SourceLine;
  readonly frontmatter: readonly SourceLine[];
  /** From the first byte of the closing line to the end of the file, unchanged. */
  readonly rest: string;
  /** What follows the closing line, unchanged. */
  readonly body: string;
  /** The frontmatter with LF line ends, including the last line's. */
  readonly block: string;
}

const BOM = '\uFEFF';
const CLOSING = /^---[ \t]*$/;

/**
 * Splits by comparing lines, never by a multiline regexp: that would count U+2028 and a lone CR as line ends, and a
 * body could close the frontmatter where no other reader sees it.
 */
export function fence(bytes: Uint8Array): Fenced | Unreadable {
  if (bytes.length > LIMITS_OF_A_FILE.bytes) return unreadable('too-large', 1);
  const decoded = decode(bytes);
  if (decoded === undefined) return unreadable('not-utf8', firstBadLine(bytes));
  const nul = decoded.indexOf('\0');
  if (nul !== -1) return unreadable('nul', lineNumberAt(decoded, nul));

  const bom = decoded.startsWith(BOM);
  const text = bom ? decoded.slice(1) : decoded;
  const opening = lineFrom(text, 0);
  if (opening.text !== '---') return unreadable('opening-missing', 1);

  const start = opening.text.length + opening.end.length;
  const frontmatter: SourceLine[] = [];
  let at = start;
  for (;;) {
    if (at >= text.length) return unreadable('closing-missing', 1);
    const line = lineFrom(text, at);
    const next = at + line.text.length + line.end.length;
    if (CLOSING.test(line.text)) {
      const fault = faultIn(frontmatter, text.slice(start, at));
      if (fault !== undefined) return fault;
      const block = frontmatter.map(({ text }) => `${text}\n`).join('');
      const crlf = text.includes('\r\n');
      return { kind: 'fenced', bom, crlf, opening, frontmatter, rest: text.slice(at), body: text.slice(next), block };
    }
    frontmatter.push(line);
    at = next;
  }
}

/** The file with other frontmatter and every other byte unchanged. */
export function refence({ bom, opening, rest }: Fenced, frontmatter: readonly SourceLine[]): Buffer {
  const lines = [opening, ...frontmatter].map(({ text, end }) => text + end);
  return Buffer.from(`${bom ? BOM : ''}${lines.join('')}${rest}`, 'utf8');
}

/** The file with another body. */
export function withBody(fenced: Fenced, body: string): Fenced {
  const closing = fenced.rest.slice(0, fenced.rest.length - fenced.body.length);
  return { ...fenced, body, rest: `${closing.endsWith('\n') ? closing : `${closing}\n`}${body}` };
}

export function unreadable(fault: Fault, line: number): Unreadable {
  return { kind: 'unreadable', fault, line };
}

/** The 1-based line of an offset. */
export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function faultIn(frontmatter: readonly SourceLine[], raw: string): Unreadable | undefined {
  if (Buffer.byteLength(raw) > LIMITS_OF_A_FILE.frontmatterBytes) return unreadable('frontmatter-too-large', 1);
  if (frontmatter.length > LIMITS_OF_A_FILE.frontmatterLines) return unreadable('frontmatter-too-large', 1);
  // A lone CR ends a line in YAML but not in an editor; `---x` ends the block for gray-matter but not for us; `...`
  // ends the document for YAML. Each would let two readers see different frontmatters.
  const odd = frontmatter.findIndex(({ text }) => /\r|^---|^\.\.\.(?:[ \t]|$)/.test(text));
  return odd === -1 ? undefined : unreadable('yaml-invalid', odd + 2);
}

function lineFrom(text: string, at: number): SourceLine {
  const lf = text.indexOf('\n', at);
  if (lf === -1) return { text: text.slice(at), end: '' };
  if (lf > at && text[lf - 1] === '\r') return { text: text.slice(at, lf - 1), end: '\r\n' };
  return { text: text.slice(at, lf), end: '\n' };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** No UTF-8 sequence contains a line feed, so a file is valid exactly when each of its lines is. */
function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  let at = 0;
  for (let lf = bytes.indexOf(0x0a); lf !== -1; lf = bytes.indexOf(0x0a, at)) {
    if (!isUtf8(bytes.subarray(at, lf))) return line;
    line++;
    at = lf + 1;
  }
  return line;
}
