import { isPasskeyRecord } from '../passkeys/change.ts';
import { ACTORS, TIERS, type Tier } from '../trust/tiers.ts';
import { type Common, CommonFields } from './common-fields.ts';
import { canRaise } from './entry.ts';
import { grown, keyOf } from './hash-index.ts';
import { packedPasskey, unpackedPasskey } from './packed-passkey.ts';
import { sizeOf, sizeOfAll, TextReader, writeText, writeTexts } from './packed-text.ts';
import { type LedgerTrust, raises, type Statement, timeOf } from './statement.ts';

const CHUNK = 1 << 18;

const HASH_BITS = 0x7fff_ffff;
/** Actions of rows that are looked for by what they do. Passkey records are too. */
const SPECIAL: ReadonlySet<string> = new Set(['adopt', 'declined']);

/** Offsets of the fields that every row begins with. `TEXTS` follow. */
const HEADER = { authentic: 0, from: 1, to: 2, actor: 3, at: 4, clock: 12, line: 20, common: 24, end: 28 } as const;

/** The texts of a row, in the order in which they are packed. The lists `settled` and `after` follow. */
const TEXTS = ['id', 'hash', 'digest', 'saying', 'replaces', 'was', 'passkey'] as const;

/**
 * Identifies how rows are packed, including the numbers for tiers and actors. Raise the number with any other change to
 * the packing.
 */
export const PACKING = JSON.stringify([6, TIERS, ACTORS]);

export interface Packed {
  readonly commons: readonly Common[];
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly idKeys: Uint32Array<ArrayBuffer>;
  readonly hashKeys: Uint32Array<ArrayBuffer>;
  readonly chunks: readonly Buffer[];
}

/** A view too, because a buffer's own methods for numbers take a process that has just started ten times as long. */
interface RowChunk {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function chunkOf(bytes: Buffer): RowChunk {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/**
 * All statements of one ledger in its order, packed. A row takes about 160 bytes in a few large buffers; an object
 * would take a thousand, and a ledger has a row for every entry ever written. A statement is unpacked when it is read.
 * An entry about many memories has a row for each, so entries are counted apart from rows.
 */
export class Statements {
  readonly ledger: LedgerTrust;
  readonly #chunks: RowChunk[] = [];
  /** Bytes used of the last chunk. */
  #used = 0;
  /** Where each row begins: the number of its chunk times the size of a chunk, plus the offset in the chunk. */
  #starts = new Uint32Array(64);
  /** The `keyOf` of each row's id, by which all rows are found in every process. */
  #idKeys = new Uint32Array(64);
  /** The lower 31 bits of the `keyOf` of each row's hash. The highest bit says that it is found by more than id and hash. */
  #hashKeys = new Uint32Array(64);
  #rows = 0;
  #commons = new CommonFields();
  /** What `sameStores` has found so far, and how many rows it has read for that. */
  readonly #same = new Map<string, Set<string>>();
  #searched = 0;

  constructor(ledger: LedgerTrust) {
    this.ledger = ledger;
  }

  /** Makes the rows that `packed` returned usable again. The chunks are taken over, not copied. */
  static unpacked(ledger: LedgerTrust, { commons, rows, idKeys, hashKeys, chunks }: Packed): Statements {
    const made = new Statements(ledger);
    made.#commons = new CommonFields(commons);
    made.#chunks.push(...chunks.map(chunkOf));
    made.#used = Math.max(CHUNK, chunks.at(-1)?.length ?? 0);
    made.#rows = rows.length;
    [made.#starts, made.#idKeys, made.#hashKeys] = [rows, idKeys, hashKeys];
    return made;
  }

  /** The number of entries. */
  get count(): number {
    return this.#rows === 0 ? 0 : this.#lineOf(this.#rows - 1) + 1;
  }

  /** The number of rows: one for each entry, and more for entries about many memories. */
  get rows(): number {
    return this.#rows;
  }

  /** The hash of the entry with this number. */
  hashAt(line: number): string | undefined {
    const row = this.#firstRowOf(line);
    return row === undefined ? undefined : this.rowHashAt(row);
  }

  /** Changes with everything that decides which of its statements count. */
  get state(): string {
    const { raises, isDamaged, scope } = this.ledger;
    return `${this.rows} ${raises} ${isDamaged} ${scope?.ids.size} ${scope?.unnamed}`;
  }

  /** Whether it is a whole ledger of this name and has all of these entries. */
  isWholeWith(fingerprint: string, entries: readonly (readonly [line: number, hash: string])[]): boolean {
    const { ledger } = this;
    if (ledger.fingerprint !== fingerprint || ledger.isDamaged) return false;
    return entries.every(([line, hash]) => this.hashAt(line) === hash);
  }

  /** Whether the entry with this number states something that raises, whoever wrote it. */
  canRaiseAt(line: number): boolean {
    const row = this.#firstRowOf(line);
    if (row === undefined) return false;
    return canRaise({ action: this.#commonAt(row).action, to: tierOf(this.#byteAt(row, HEADER.to)) });
  }

  /**
   * The first entry that names a store. If it is the record that binds the ledger to a store, `binds` is that store's
   * id.
   */
  firstNamed(): { readonly line: number; readonly binds: string | undefined } | undefined {
    // Entries that name a store come last, so a binary search finds the first.
    let [from, to] = [0, this.#rows];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#commonAt(middle).store === null) from = middle + 1;
      else to = middle;
    }
    if (from === this.#rows) return undefined;
    return { line: this.#lineOf(from), binds: this.#commonAt(from).action === 'store' ? this.idAt(from) : undefined };
  }

  /**
   * The ids that a record of this ledger says are of the same store as this one. A record has a row for each of its two ids.
   * Each row is read once for this, because a stranger can write thousands.
   */
  sameStores(as: string): Iterable<string> {
    for (; this.#searched < this.#rows; this.#searched += 1) {
      if (this.actionAt(this.#searched) !== 'store') continue;
      const { id, replaces } = this.at(this.#searched);
      if (replaces !== null) this.#same.set(id, (this.#same.get(id) ?? new Set()).add(replaces));
    }
    return this.#same.get(as) ?? [];
  }

  /** The time and the clock of the last entry. */
  lastTimes(): { readonly at: number; readonly clock: number } | undefined {
    if (this.#rows === 0) return undefined;
    return this.#timesAt(this.#rows - 1);
  }

  /** Adds a row and returns its number. */
  add(statement: Omit<Statement, 'ledger'>): number {
    const { hash, authentic, line, at, clock, action, actor, id, from, to } = statement;
    const { digest, saying, was, settled, replaces, after } = statement;
    const passkey = packedPasskey(statement);
    let atMost = HEADER.end + sizeOf(id) + sizeOf(hash) + sizeOf(digest) + sizeOf(saying) + sizeOf(replaces);
    atMost += sizeOf(was) + sizeOf(passkey) + sizeOfAll(settled) + sizeOfAll(after);
    const { bytes, view } = this.#room(atMost);
    const start = this.#used;
    bytes[start + HEADER.authentic] = authentic ? 1 : 0;
    bytes[start + HEADER.from] = numberOf(from);
    bytes[start + HEADER.to] = numberOf(to);
    bytes[start + HEADER.actor] = ACTORS.indexOf(actor);
    view.setFloat64(start + HEADER.at, at, true);
    view.setFloat64(start + HEADER.clock, clock, true);
    view.setUint32(start + HEADER.line, line, true);
    view.setUint32(start + HEADER.common, this.#commons.numberOf(statement), true);
    // In the order of `TEXTS`.
    let end = writeText(bytes, start + HEADER.end, id);
    end = writeText(bytes, end, hash);
    end = writeText(bytes, end, digest);
    end = writeText(bytes, end, saying);
    end = writeText(bytes, end, replaces);
    end = writeText(bytes, end, was);
    end = writeText(bytes, end, passkey);
    end = writeTexts(bytes, end, settled);
    this.#used = writeTexts(bytes, end, after);
    this.#idKeys[this.#rows] = keyOf(id);
    const isPlain = (to === null || to === 'inferred') && !SPECIAL.has(action) && !isPasskeyRecord(action);
    this.#hashKeys[this.#rows] = (keyOf(hash) & HASH_BITS) | (isPlain ? 0 : ~HASH_BITS);
    return this.#rows++;
  }

  /** Unpacks a row for a reader whose clock says `now`. */
  at(row: number, now = Number.POSITIVE_INFINITY): Statement {
    const reader = this.#readerAt(row, 'id');
    const id = reader.text() as string;
    const hash = reader.text() as string;
    const digest = reader.text();
    const saying = reader.text();
    const replaces = reader.text();
    const was = reader.text();
    const { passkeys, assertion } = unpackedPasskey(reader.text());
    const settled = reader.texts();
    const after = reader.texts();
    const times = this.#timesAt(row);
    const { action, level, channel, rules, store } = this.#commonAt(row);
    return {
      ledger: this.ledger,
      hash,
      authentic: this.isAuthentic(row),
      line: this.#lineOf(row),
      at: timeOf(times, now),
      clock: times.clock,
      store,
      action,
      actor: ACTORS[this.#byteAt(row, HEADER.actor)] ?? 'agent',
      level,
      channel,
      id,
      from: tierOf(this.#byteAt(row, HEADER.from)),
      to: tierOf(this.#byteAt(row, HEADER.to)),
      rules,
      digest,
      saying,
      was,
      settled,
      replaces,
      after,
      passkeys,
      assertion,
    };
  }

  idAt(row: number): string {
    return this.#readerAt(row, 'id').text() as string;
  }

  /** The `keyOf` of the row's id. */
  idKeyAt(row: number): number {
    return this.#idKeys[row] ?? 0;
  }

  hashKeyAt(row: number): number {
    return (this.#hashKeys[row] ?? 0) & HASH_BITS;
  }

  rowHashAt(row: number): string {
    return this.#readerAt(row, 'hash').text() as string;
  }

  digestAt(row: number): string | null {
    return this.#readerAt(row, 'digest').text();
  }

  timeAt(row: number, now: number): number {
    return timeOf(this.#timesAt(row), now);
  }

  /** Whether a row's ledger is trusted here and the row is of this store: `raises` of its statement. */
  isTrustedAt(row: number): boolean {
    return raises({ ledger: this.ledger, store: this.#commonAt(row).store, line: this.#lineOf(row) });
  }

  actionAt(row: number): string {
    return this.#commonAt(row).action;
  }

  /** Whether a row states a decision, and not only a record. */
  decidesAt(row: number): boolean {
    return this.#byteAt(row, HEADER.to) !== NO_TIER;
  }

  /** Whether a row states nothing that it is looked for by besides its id and hash: no verification, no quarantine, no no and the like. */
  isPlainAt(row: number): boolean {
    return (this.#hashKeys[row] ?? 0) <= HASH_BITS;
  }

  quarantinesAt(row: number): boolean {
    return this.#byteAt(row, HEADER.to) === QUARANTINED;
  }

  /** The digest before, where a row states that a text was reworded. */
  wasAt(row: number): string | null {
    return this.#readerAt(row, 'was').text();
  }

  /** Whether a row states a verification. */
  verifiesAt(row: number): boolean {
    return this.#byteAt(row, HEADER.to) === VERIFIED;
  }

  /** The saying of a quarantined text; null for any other row. */
  sayingQuarantinedAt(row: number): string | null {
    return this.quarantinesAt(row) ? this.at(row).saying : null;
  }

  isAuthentic(row: number): boolean {
    return this.#byteAt(row, HEADER.authentic) === 1;
  }

  /**
   * Call it once the ledger's last signature is checked: before that, it is unknown whether the lines are the ledger's
   * own.
   */
  setAuthentic(row: number, authentic: boolean): void {
    this.#chunkOf(row).bytes[this.#startOf(row) + HEADER.authentic] = authentic ? 1 : 0;
  }

  /** All rows as they are in memory, for the cache. Only `unpacked` reads this form. */
  packed(): Packed {
    const last = this.#chunks.length - 1;
    const chunks = this.#chunks.map(({ bytes }, at) => (at === last ? bytes.subarray(0, this.#used) : bytes));
    const [rows, idKeys, hashKeys] = [this.#starts, this.#idKeys, this.#hashKeys].map((numbers) =>
      numbers.subarray(0, this.#rows),
    ) as [Packed['rows'], Packed['idKeys'], Packed['hashKeys']];
    return { commons: this.#commons.all, rows, idKeys, hashKeys, chunks };
  }

  /**
   * Room for a row of at most this size. A row larger than a chunk gets a larger chunk. No row begins beyond a chunk's
   * usual size.
   */
  #room(atMost: number): RowChunk {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || this.#used >= CHUNK || this.#used + atMost > chunk.bytes.length) {
      chunk = chunkOf(Buffer.allocUnsafeSlow(Math.max(CHUNK, atMost)));
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    if (this.#rows === this.#starts.length)
      [this.#starts, this.#idKeys, this.#hashKeys] = [grown(this.#starts), grown(this.#idKeys), grown(this.#hashKeys)];
    this.#starts[this.#rows] = (this.#chunks.length - 1) * CHUNK + this.#used;
    return chunk;
  }

  #chunkOf(row: number): RowChunk {
    return this.#chunks[Math.floor((this.#starts[row] ?? 0) / CHUNK)] as RowChunk;
  }

  /** Where a row begins in its chunk. */
  #startOf(row: number): number {
    return (this.#starts[row] ?? 0) % CHUNK;
  }

  /** One of the fields of `HEADER` that take a byte. */
  #byteAt(row: number, field: number): number {
    return this.#chunkOf(row).bytes[this.#startOf(row) + field] ?? 0;
  }

  #timesAt(row: number): Pick<Statement, 'at' | 'clock'> {
    const { view } = this.#chunkOf(row);
    const start = this.#startOf(row);
    return { at: view.getFloat64(start + HEADER.at, true), clock: view.getFloat64(start + HEADER.clock, true) };
  }

  /** A reader that stands before one of the row's texts. */
  #readerAt(row: number, text: (typeof TEXTS)[number]): TextReader {
    const reader = new TextReader(this.#chunkOf(row).bytes, this.#startOf(row) + HEADER.end);
    for (let before = TEXTS.indexOf(text); before > 0; before--) reader.pass();
    return reader;
  }

  #lineOf(row: number): number {
    return this.#chunkOf(row).view.getUint32(this.#startOf(row) + HEADER.line, true);
  }

  /**
   * The first row of an entry. Rows are in the order of their entries, and each entry has at least one, so the search
   * starts at the entry's number.
   */
  #firstRowOf(line: number): number | undefined {
    if (line < 0) return undefined;
    let [from, to] = [Math.min(line, this.#rows), this.#rows];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#lineOf(middle) < line) from = middle + 1;
      else to = middle;
    }
    return from < this.#rows ? from : undefined;
  }

  #commonAt(row: number): Common {
    return this.#commons.at(this.#chunkOf(row).view.getUint32(this.#startOf(row) + HEADER.common, true));
  }
}

/** 0 for none. */
function numberOf(tier: Tier | null): number {
  return TIERS.indexOf(tier as Tier) + 1;
}

const NO_TIER = numberOf(null);
const QUARANTINED = numberOf('quarantined');
const VERIFIED = numberOf('verified');

function tierOf(number: number | undefined): Tier | null {
  return number ? (TIERS[number - 1] ?? null) : null;
}
