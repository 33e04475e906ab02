import type { LedgerFace, Statement } from './replay.ts';
import { ACTORS, TIERS, type Tier } from './tiers.ts';

const CHUNK = 1 << 18;
const NO_TEXTS: readonly string[] = Object.freeze([]);
const HASH = /^[0-9a-f]{64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: every character that takes one byte, controls among them
const NARROW = /^[\u0000-\u00ff]*$/;

/** How a text is kept: none, a SHA-256 in hex, two bytes a character, one, or one with its length told at once. */
const KEPT = { none: 0, hash: 1, wide: 2, narrow: 3, short: 4 } as const;
const LONGEST_SHORT = 255 - KEPT.short;
const MANY = 255;

/** The bytes every row begins with; what follows are its texts. */
const HEADER = { authentic: 0, from: 1, to: 2, actor: 3, at: 4, common: 12, end: 16 } as const;

/** What rows of one ledger say in the same words: there are few of these, and each is kept once. */
type Common = Pick<Statement, 'action' | 'level' | 'channel' | 'rules'>;

/**
 * All statements of one ledger in its order, packed: a row takes about 150 bytes in a few large buffers, where an object
 * would take a thousand, and a ledger has one for every entry ever written. A statement is unpacked when it is asked for.
 */
export class Statements {
  readonly ledger: LedgerFace;
  readonly #chunks: Buffer[] = [];
  /** Bytes used of the last chunk. */
  #used = 0;
  /** Where each row begins: the number of its chunk times the size of one, and the offset in it. */
  #rows = new Uint32Array(64);
  #count = 0;
  readonly #commons: Common[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(ledger: LedgerFace) {
    this.ledger = ledger;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a row and returns its number. */
  add(statement: Omit<Statement, 'ledger'>): number {
    const { hash, authentic, at, actor, id, from, to, digest, saying, settled, replaces, after } = statement;
    const texts = [id, hash, digest, saying, replaces];
    const atMost = [...texts, ...settled, ...after].reduce((sum, text) => sum + sizeOf(text), HEADER.end + 10);
    const [chunk, start] = this.#room(atMost);
    chunk[start + HEADER.authentic] = authentic ? 1 : 0;
    chunk[start + HEADER.from] = numberOf(from);
    chunk[start + HEADER.to] = numberOf(to);
    chunk[start + HEADER.actor] = ACTORS.indexOf(actor);
    chunk.writeDoubleLE(at, start + HEADER.at);
    chunk.writeUInt32LE(this.#numberOf(statement), start + HEADER.common);
    let offset = start + HEADER.end;
    for (const text of texts) offset = write(chunk, offset, text);
    for (const list of [settled, after]) {
      offset = chunk.writeUInt8(Math.min(list.length, MANY), offset);
      if (list.length >= MANY) offset = chunk.writeUInt32LE(list.length, offset);
      for (const text of list) offset = write(chunk, offset, text);
    }
    this.#used = offset;
    return this.#count++;
  }

  at(row: number): Statement {
    const [chunk, start] = this.#find(row);
    const reader = new Reader(chunk, start + HEADER.end);
    const id = reader.text() ?? '';
    const hash = reader.text() ?? '';
    const [digest, saying, replaces] = [reader.text(), reader.text(), reader.text()];
    const [settled, after] = [reader.texts(), reader.texts()];
    const { action, level, channel, rules } = this.#commons[chunk.readUInt32LE(start + HEADER.common)] as Common;
    return {
      ledger: this.ledger,
      hash,
      authentic: chunk[start + HEADER.authentic] === 1,
      at: chunk.readDoubleLE(start + HEADER.at),
      action,
      actor: ACTORS[chunk[start + HEADER.actor] ?? 0] ?? 'agent',
      level,
      channel,
      id,
      from: tierOf(chunk[start + HEADER.from]),
      to: tierOf(chunk[start + HEADER.to]),
      rules,
      digest,
      saying,
      settled,
      replaces,
      after,
    };
  }

  idAt(row: number): string {
    return this.#reader(row).text() ?? '';
  }

  hashAt(row: number): string | undefined {
    if (row < 0 || row >= this.#count) return undefined;
    const reader = this.#reader(row);
    reader.pass();
    return reader.text() ?? '';
  }

  digestAt(row: number): string | null {
    const reader = this.#reader(row);
    reader.pass();
    reader.pass();
    return reader.text();
  }

  timeAt(row: number): number {
    const [chunk, start] = this.#find(row);
    return chunk.readDoubleLE(start + HEADER.at);
  }

  /** Whether a row states a decision, and not only that something was seen or done. */
  decidesAt(row: number): boolean {
    const [chunk, start] = this.#find(row);
    return chunk[start + HEADER.to] !== numberOf(null);
  }

  /** When a row was made that states a verification; undefined for every other. */
  verifiedAt(row: number): number | undefined {
    const [chunk, start] = this.#find(row);
    return chunk[start + HEADER.to] === numberOf('verified') ? this.timeAt(row) : undefined;
  }

  /** What the text of a quarantine says; null for every other row. */
  sayingQuarantinedAt(row: number): string | null {
    const [chunk, start] = this.#find(row);
    if (chunk[start + HEADER.to] !== numberOf('quarantined')) return null;
    return this.at(row).saying;
  }

  isAuthentic(row: number): boolean {
    const [chunk, start] = this.#find(row);
    return chunk[start + HEADER.authentic] === 1;
  }

  /** Until a ledger's last signature was checked nobody can say whether its lines are its own. */
  setAuthentic(row: number, authentic: boolean): void {
    const [chunk, start] = this.#find(row);
    chunk[start + HEADER.authentic] = authentic ? 1 : 0;
  }

  /** Room for a row of at most this size. One that may be larger than a chunk gets a larger one; none begins beyond. */
  #room(atMost: number): [chunk: Buffer, start: number] {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#used >= CHUNK || this.#used + atMost > chunk.length) {
      chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, atMost));
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    if (this.#count === this.#rows.length) this.#rows = grown(this.#rows);
    this.#rows[this.#count] = (this.#chunks.length - 1) * CHUNK + this.#used;
    return [chunk, this.#used];
  }

  #find(row: number): [chunk: Buffer, start: number] {
    const place = this.#rows[row] ?? 0;
    return [this.#chunks[Math.floor(place / CHUNK)] as Buffer, place % CHUNK];
  }

  #reader(row: number): Reader {
    const [chunk, start] = this.#find(row);
    return new Reader(chunk, start + HEADER.end);
  }

  #numberOf({ action, level, channel, rules }: Common): number {
    const key = JSON.stringify([action, level, channel, rules]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#commons.length);
    return this.#commons.push({ action, level, channel, rules }) - 1;
  }
}

/** The same numbers in twice the room. */
export function grown(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

function numberOf(tier: Tier | null): number {
  return tier === null ? 0 : TIERS.indexOf(tier) + 1;
}

function tierOf(number: number | undefined): Tier | null {
  return number ? (TIERS[number - 1] ?? null) : null;
}

/** Room that is enough for the text in any form. */
function sizeOf(text: string | null): number {
  return text === null ? 1 : 5 + text.length * 2;
}

function write(chunk: Buffer, offset: number, text: string | null): number {
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

class Reader {
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

  /** Goes past a text without reading it. */
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
