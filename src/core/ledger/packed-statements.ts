import { ACTORS, TIERS, type Tier } from '../trust/tiers.ts';
import { canRaise } from './entry.ts';
import { grown } from './hash-index.ts';
import { sizeOf, TextReader, writeText, writeTexts } from './packed-text.ts';
import type { LedgerFace, Statement } from './statement.ts';

const CHUNK = 1 << 18;

/** The bytes every row begins with; what follows are its texts. */
const HEADER = { authentic: 0, from: 1, to: 2, actor: 3, at: 4, common: 12, end: 16 } as const;

/** What rows of one ledger say in the same words: there are few of these, and each is kept once. */
type Common = Pick<Statement, 'action' | 'level' | 'channel' | 'rules'>;

/** Names how rows are packed, the numbers that stand for tiers and actors included. Raised with any other change of it. */
export const PACKING = JSON.stringify([1, TIERS, ACTORS]);

export interface Packed {
  readonly commons: readonly Common[];
  readonly rows: Uint32Array;
  readonly chunks: readonly Buffer[];
}

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

  /** All rows of a ledger as `packed` gave them, ready to be added to. The chunks are taken over, not copied. */
  static unpacked(ledger: LedgerFace, { commons, rows, chunks }: Packed): Statements {
    const made = new Statements(ledger);
    for (const common of commons) made.#numberOf(common);
    made.#chunks.push(...chunks);
    made.#used = Math.max(CHUNK, chunks.at(-1)?.length ?? 0);
    made.#count = rows.length;
    // Room for more, since a ledger that is read is often written to next.
    made.#rows = new Uint32Array(rows.length + 64);
    made.#rows.set(rows);
    return made;
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
    for (const text of texts) offset = writeText(chunk, offset, text);
    for (const list of [settled, after]) offset = writeTexts(chunk, offset, list);
    this.#used = offset;
    return this.#count++;
  }

  at(row: number): Statement {
    const [chunk, start] = this.#find(row);
    const reader = new TextReader(chunk, start + HEADER.end);
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

  /** What `keyOf` makes of a row's id, and of its hash. */
  idKeyAt(row: number): number {
    return this.#reader(row).key();
  }

  hashKeyAt(row: number): number {
    const reader = this.#reader(row);
    reader.pass();
    return reader.key();
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

  /** Whether a row can raise something. */
  raisesAt(row: number): boolean {
    const [chunk, start] = this.#find(row);
    const { action } = this.#commons[chunk.readUInt32LE(start + HEADER.common)] as Common;
    return canRaise({ action, to: tierOf(chunk[start + HEADER.to]) });
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

  /** All rows as they are kept in memory: good for keeping them elsewhere, and for nobody else to read. */
  packed(): Packed {
    const last = this.#chunks.length - 1;
    const chunks = this.#chunks.map((chunk, at) => (at === last ? chunk.subarray(0, this.#used) : chunk));
    return { commons: this.#commons, rows: this.#rows.subarray(0, this.#count), chunks };
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

  #reader(row: number): TextReader {
    const [chunk, start] = this.#find(row);
    return new TextReader(chunk, start + HEADER.end);
  }

  #numberOf({ action, level, channel, rules }: Common): number {
    const key = JSON.stringify([action, level, channel, rules]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#commons.length);
    return this.#commons.push({ action, level, channel, rules }) - 1;
  }
}

function numberOf(tier: Tier | null): number {
  return tier === null ? 0 : TIERS.indexOf(tier) + 1;
}

function tierOf(number: number | undefined): Tier | null {
  return number ? (TIERS[number - 1] ?? null) : null;
}
