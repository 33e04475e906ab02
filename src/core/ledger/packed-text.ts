const NO_TEXTS: readonly string[] = Object.freeze([]);
const HEX = /^[0-9a-f]+$/;
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

/** The same for a list. */
export function sizeOfAll(texts: readonly string[]): number {
  let size = 5;
  for (let at = 0; at < texts.length; at++) size += sizeOf(texts[at] as string);
  return size;
}

export function writeText(chunk: Buffer, offset: number, text: string | null): number {
  if (text === null) {
    chunk[offset] = KEPT.none;
    return offset + 1;
  }
  if (text.length === 64 && HEX.test(text)) {
    chunk[offset] = KEPT.hash;
    return offset + 1 + chunk.write(text, offset + 1, 'hex');
  }
  const narrow = NARROW.test(text);
  if (narrow && text.length <= LONGEST_SHORT) {
    chunk[offset] = KEPT.short + text.length;
    return offset + 1 + chunk.write(text, offset + 1, 'latin1');
  }
  chunk[offset] = narrow ? KEPT.narrow : KEPT.wide;
  chunk.writeUInt32LE(text.length, offset + 1);
  return offset + 5 + (narrow ? chunk.write(text, offset + 5, 'latin1') : chunk.write(text, offset + 5, 'utf16le'));
}

export function writeTexts(chunk: Buffer, start: number, texts: readonly string[]): number {
  chunk[start] = Math.min(texts.length, MANY);
  let offset = start + 1;
  if (texts.length >= MANY) offset = chunk.writeUInt32LE(texts.length, offset);
  for (let at = 0; at < texts.length; at++) offset = writeText(chunk, offset, texts[at] as string);
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
