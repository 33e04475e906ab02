import { keyOf, keyOfBytes } from './hash-index.ts';

const NO_TEXTS: readonly string[] = Object.freeze([]);
const HASH = /^[0-9a-f]{64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: every character that takes one byte, controls among them
const NARROW = /^[\u0000-\u00ff]*$/;

/**
 * How a text is packed: null, a SHA-256 in hex, two bytes a character, one byte a character, or one byte with the
 * length in the first byte.
 */
const KEPT = { none: 0, hash: 1, wide: 2, narrow: 3, short: 4 } as const;
const LONGEST_SHORT = 255 - KEPT.short;
const MANY = 255;

/** Enough room for the text in any form. */
export function sizeOf(text: string | null): number {
  return text === null ? 1 : 5 + text.length * 2;
}

export function writeText(chunk: Buffer, offset: number, text: string | null): number {
  if (text === null) return chunk.writeUInt8(KEPT.none, offset);
  if (text.length === 64 && HASH.test(text)) {
    chunk.writeUInt8(KEPT.hash, offset);
    return offset + 1 + chunk.write(text, offset + 1, 32, 'hex');
  }
  const narrow = NARROW.test(text);
  if (narrow && text.length <= LONGEST_SHORT) {
    chunk.writeUInt8(KEPT.short + text.length, offset);
    return offset + 1 + chunk.write(text, offset + 1, 'latin1');
  }
  chunk.writeUInt8(narrow ? KEPT.narrow : KEPT.wide, offset);
  chunk.writeUInt32LE(text.length, offset + 1);
  return offset + 5 + chunk.write(text, offset + 5, narrow ? 'latin1' : 'utf16le');
}

export function writeTexts(chunk: Buffer, start: number, texts: readonly string[]): number {
  let offset = chunk.writeUInt8(Math.min(texts.length, MANY), start);
  if (texts.length >= MANY) offset = chunk.writeUInt32LE(texts.length, offset);
  for (const text of texts) offset = writeText(chunk, offset, text);
  return offset;
}

/** Reads packed texts one after the other. */
export class TextReader {
  readonly #chunk: Buffer;
  #at: number;

  constructor(chunk: Buffer, at: number) {
    this.#chunk = chunk;
    this.#at = at;
  }

  text(): string | null {
    const kept = this.#chunk[this.#at] ?? KEPT.none;
    this.#at += 1;
    if (kept === KEPT.none) return null;
    if (kept === KEPT.hash) return this.#chunk.toString('hex', this.#at, this.#skip(32));
    if (kept >= KEPT.short) return this.#chunk.toString('latin1', this.#at, this.#skip(kept - KEPT.short));
    const length = this.#long();
    if (kept === KEPT.narrow) return this.#chunk.toString('latin1', this.#at, this.#skip(length));
    return this.#chunk.toString('utf16le', this.#at, this.#skip(length * 2));
  }

  /** The text's `keyOf`, without unpacking the text if possible. Moves past it. */
  key(): number {
    const kept = this.#chunk[this.#at] ?? KEPT.none;
    if (kept === KEPT.hash) return this.#chunk.readUInt32BE(this.#skip(33) - 32);
    const length = kept - KEPT.short;
    // `keyOf` treats a text of 64 characters differently.
    if (length < 0 || length === 64) return keyOf(this.text() ?? '');
    const end = this.#skip(1 + length);
    return keyOfBytes(this.#chunk, end - length, end);
  }

  /** Moves past a text without reading it. */
  pass(): void {
    const kept = this.#chunk[this.#at] ?? KEPT.none;
    this.#at += 1;
    if (kept === KEPT.hash) this.#skip(32);
    else if (kept >= KEPT.short) this.#skip(kept - KEPT.short);
    else if (kept !== KEPT.none) this.#skip(this.#long() * (kept === KEPT.wide ? 2 : 1));
  }

  texts(): readonly string[] {
    const few = this.#chunk[this.#at] ?? 0;
    this.#at += 1;
    const many = few === MANY ? this.#long() : few;
    return many === 0 ? NO_TEXTS : Array.from({ length: many }, () => this.text() ?? '');
  }

  #long(): number {
    const number = this.#chunk.readUInt32LE(this.#at);
    this.#at += 4;
    return number;
  }

  #skip(bytes: number): number {
    this.#at += bytes;
    return this.#at;
  }
}
