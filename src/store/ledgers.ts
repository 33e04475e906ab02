import { join } from 'node:path';
import type { UserConsent } from '../core/consent.ts';
import { Evidence } from '../core/evidence.ts';
import { type Draft, EMPTY_HEAD, type Head, hashOf, publicKeyOf, seal } from '../core/ledger.ts';
import { Refusal } from '../core/refusal.ts';
import { againstMemory, type LedgerFace, type Statement, TROUBLES, type Trouble } from '../core/replay.ts';
import type { Disk } from './disk.ts';
import type { RememberedHeads } from './heads.ts';
import type { MachineKey } from './keys.ts';
import type { Places } from './layout.ts';
import { LedgerFile } from './ledger-file.ts';
import type { TrustedMachines } from './machines.ts';

/** How a ledger stands, for the operator. */
export interface LedgerReport {
  readonly fingerprint: string;
  readonly own: boolean;
  readonly trusted: boolean;
  readonly raises: boolean;
  readonly entries: number;
  readonly head: Head;
  readonly trouble: Trouble | undefined;
  /** What happened and what to do; empty when all is well. */
  readonly advice: string;
}

interface Ledger {
  readonly face: LedgerFace;
  readonly file: LedgerFile;
  trouble: Trouble | undefined;
  /** This machine's copy, read while the ledger itself is in trouble. */
  copy: LedgerFile | undefined;
}

const NAME = /^([0-9a-f]{64})\.jsonl$/;

/**
 * All ledgers of the store, and the evidence they give. This machine keeps a copy of every line it has read: a line that is
 * later cut out of the store still lowers what it lowered, and a damaged ledger can be put back.
 */
export class Ledgers {
  readonly #places: Places;
  readonly #disk: Disk;
  readonly #key: MachineKey;
  readonly #heads: RememberedHeads;
  readonly #machines: TrustedMachines;
  #ledgers = new Map<string, Ledger>();
  #evidence = new Evidence();

  constructor(places: Places, disk: Disk, key: MachineKey, heads: RememberedHeads, machines: TrustedMachines) {
    this.#places = places;
    this.#disk = disk;
    this.#key = key;
    this.#heads = heads;
    this.#machines = machines;
  }

  get evidence(): Evidence {
    return this.#evidence;
  }

  /** Takes in what changed on the disk. Cheap when nothing did: one look at each ledger file. */
  refresh(): void {
    if (!this.#takeIn()) {
      // Something was rewritten and not appended to: forget everything that was concluded, and read again.
      this.#ledgers = new Map();
      this.#evidence = new Evidence();
      this.#takeIn();
    }
  }

  reports(): readonly LedgerReport[] {
    return [...this.#ledgers].map(([fingerprint, { face, file, trouble }]) => ({
      fingerprint,
      own: fingerprint === this.#key.fingerprint,
      trusted: this.#publicKey(fingerprint) !== undefined,
      raises: face.raises,
      entries: file.hashes.length,
      head: file.head,
      trouble,
      advice: trouble === undefined ? '' : this.#advice(fingerprint, trouble),
    }));
  }

  /**
   * Writes entries into this machine's ledger, all or none. The caller holds the lock and has refreshed. While the ledger is in
   * trouble only a lowering is written, into this machine's copy, where it counts until the trouble is settled.
   */
  append(drafts: readonly Draft[], now: number): readonly Statement[] {
    const { fingerprint } = this.#key;
    const own = this.#ledgers.get(fingerprint) ?? this.#begin(fingerprint);
    if (own.trouble !== undefined && drafts.some((draft) => draft.to !== 'quarantined')) {
      throw new Refusal('ledger-trouble', `Nothing was changed. ${this.#advice(fingerprint, own.trouble)}`);
    }
    const aside = own.trouble !== undefined && own.trouble !== 'unremembered';
    const file = aside ? this.#readCopy(fingerprint, own) : own.file;
    const lines: string[] = [];
    let { head, lastAt } = file;
    for (const draft of drafts) {
      const line = seal(draft, head, lastAt, now, this.#key);
      lines.push(line);
      head = { count: head.count + 1, hash: hashOf(line) };
      lastAt = Math.max(now, lastAt);
    }
    // What a crash left after the last whole line would otherwise become part of this one.
    if ((this.#disk.stamp(file.path)?.size ?? 0) > file.size) this.#disk.truncate(file.path, file.size);
    this.#disk.append(file.path, `${lines.join('\n')}\n`);

    const statements = file.news();
    if (statements === 'rewritten') throw new Error('the ledger does not hold the entry that was just written');
    for (const statement of statements) this.#evidence.add(statement);
    if (own.trouble === undefined) this.#rememberOwn(own, drafts.some(isDecision));
    return statements;
  }

  /** Keeps copies of, and remembers, everything that is whole. The caller holds the lock. */
  remember(): void {
    const remembered = this.#heads.all();
    const news: [string, Head][] = [];
    for (const [fingerprint, { file, trouble }] of this.#ledgers) {
      if (trouble !== undefined || file.hashes.length === 0) continue;
      this.#keepCopy(fingerprint, file);
      if ((remembered.get(fingerprint)?.count ?? -1) < file.head.count) news.push([fingerprint, file.head]);
    }
    this.#heads.remember(news);
  }

  /** Lets another machine's word count here. The yes names its fingerprint and the last entry that was shown. */
  trust(fingerprint: string, name: string, consent: UserConsent, now: Date): void {
    const ledger = this.#ledgers.get(fingerprint);
    const publicKey = ledger && keyIn(this.#disk.readFrom(ledger.file.path, 0));
    if (ledger === undefined || ledger.trouble !== undefined || publicKey === undefined) {
      throw new Refusal(
        'ledger-trouble',
        'That machine’s ledger is missing or not whole, so its word cannot be made to count.',
      );
    }
    const { head } = ledger.file;
    consent.spend({ verb: 'trust-machine', id: fingerprint, digest: head.hash, standing: 'untrusted' });
    this.#heads.remember([[fingerprint, head]]);
    const { channel, level } = consent;
    this.#machines.add({ name, publicKey, trustedAt: now.toISOString(), channel, level });
    this.refresh();
  }

  /** Takes a ledger as it is now for the whole of it, after a person was shown its trouble. Broken lines stay broken. */
  accept(fingerprint: string, consent: UserConsent): void {
    const ledger = this.#ledgers.get(fingerprint);
    if (ledger?.trouble === undefined) return;
    const { head } = ledger.file;
    consent.spend({ verb: 'accept-ledger', id: fingerprint, digest: head.hash, standing: ledger.trouble });
    const copy = this.#copyPath(fingerprint);
    if (this.#disk.exists(copy)) this.#disk.move(copy, `${copy}.${head.count}-${head.hash?.slice(0, 8) ?? 'none'}`);
    this.#heads.remember([[fingerprint, head]]);
    this.#ledgers = new Map();
    this.#evidence = new Evidence();
    this.refresh();
  }

  #takeIn(): boolean {
    // Read before the ledgers: every writer extends the ledger first, so what is remembered is never ahead of it.
    const remembered = this.#heads.all();
    for (const fingerprint of this.#present(remembered)) {
      const kept = this.#disk.stamp(this.#copyPath(fingerprint))?.size ?? 0;
      const ledger = this.#ledgers.get(fingerprint) ?? this.#open(fingerprint);
      const news = ledger.file.news();
      if (news === 'rewritten') return false;
      for (const statement of news) this.#evidence.add(statement);
      ledger.trouble = this.#troubleOf(fingerprint, ledger.file, remembered.get(fingerprint), kept);
      ledger.face.raises = ledger.trouble === undefined && this.#publicKey(fingerprint) !== undefined;
      if (ledger.trouble !== undefined) this.#readCopy(fingerprint, ledger);
    }
    return true;
  }

  /** SPEC 4.3 in one place: why a ledger can raise nothing. */
  #troubleOf(fingerprint: string, file: LedgerFile, remembered: Head | undefined, kept: number): Trouble | undefined {
    if (file.damage !== undefined) return file.damage;
    if (remembered !== undefined) {
      return againstMemory(file.hashes, remembered) ?? (kept > file.size ? 'shorter' : undefined);
    }
    if (kept > file.size) return file.size === 0 ? 'missing' : 'shorter';
    // A machine never seen before is simply not trusted yet; one whose word counts must be remembered for it to count.
    return this.#publicKey(fingerprint) !== undefined && file.hashes.length > 0 ? 'unremembered' : undefined;
  }

  /** Every ledger there is, was, or was once copied. */
  #present(remembered: ReadonlyMap<string, Head>): Set<string> {
    const names = [...this.#disk.names(this.#places.ledger), ...this.#disk.names(join(this.#places.state, 'ledgers'))];
    const fingerprints = names.map((name) => NAME.exec(name)?.[1]).filter((name) => name !== undefined);
    return new Set([...remembered.keys(), ...fingerprints]);
  }

  #open(fingerprint: string): Ledger {
    const face: LedgerFace = { fingerprint, raises: false };
    const file = new LedgerFile(face, this.#path(fingerprint), this.#disk, this.#publicKey(fingerprint));
    const ledger: Ledger = { face, file, trouble: undefined, copy: undefined };
    this.#ledgers.set(fingerprint, ledger);
    return ledger;
  }

  /** Remembered before its first entry, so that a kill between the two leaves no ledger nobody remembers. */
  #begin(fingerprint: string): Ledger {
    this.#heads.remember([[fingerprint, EMPTY_HEAD]]);
    const ledger = this.#open(fingerprint);
    ledger.face.raises = true;
    return ledger;
  }

  /** This machine's copy of a ledger; what it states is evidence too. */
  #readCopy(fingerprint: string, ledger: Ledger): LedgerFile {
    const open = () =>
      new LedgerFile(ledger.face, this.#copyPath(fingerprint), this.#disk, this.#publicKey(fingerprint));
    let copy = ledger.copy ?? open();
    let statements = copy.news();
    if (statements === 'rewritten') {
      copy = open();
      statements = copy.news();
    }
    if (statements !== 'rewritten') for (const statement of statements) this.#evidence.add(statement);
    ledger.copy = copy;
    return copy;
  }

  #rememberOwn({ file }: Ledger, decision: boolean): void {
    this.#keepCopy(this.#key.fingerprint, file);
    // A proposal that is cut off the end again takes nothing but itself; a decision must be missed.
    if (decision) this.#heads.remember([[this.#key.fingerprint, file.head]]);
  }

  #keepCopy(fingerprint: string, file: LedgerFile): void {
    const path = this.#copyPath(fingerprint);
    const kept = this.#disk.stamp(path)?.size ?? 0;
    if (kept >= file.size) return;
    const missing = this.#disk.readFrom(file.path, kept)?.subarray(0, file.size - kept);
    if (missing !== undefined) this.#disk.appendCopy(path, missing);
  }

  #publicKey(fingerprint: string) {
    if (fingerprint === this.#key.fingerprint) return this.#key.verifier;
    const machine = this.#machines.all().get(fingerprint);
    return machine && publicKeyOf(machine.publicKey);
  }

  #path(fingerprint: string): string {
    return join(this.#places.ledger, `${fingerprint}.jsonl`);
  }

  #copyPath(fingerprint: string): string {
    return join(this.#places.state, 'ledgers', `${fingerprint}.jsonl`);
  }

  #advice(fingerprint: string, trouble: Trouble): string {
    const copy = this.#copyPath(fingerprint);
    const what = `Ledger ${fingerprint.slice(0, 16)}… raises nothing: ${TROUBLES[trouble]}.`;
    const mend = this.#disk.exists(copy)
      ? `This machine’s copy of it is ${copy}: put it back as ${this.#path(fingerprint)}, or take the file from a backup.`
      : 'If you know why, a person can accept the ledger as it is; else take the file from a backup.';
    return `${what} ${mend}`;
  }
}

/** A decision that would matter if it were cut off: anything but a birth as inferred. */
function isDecision(draft: Draft): boolean {
  return draft.to !== null && !(draft.from === null && draft.to === 'inferred');
}

function keyIn(ledger: Buffer | undefined): string | undefined {
  const first = ledger?.toString('utf8', 0, Math.max(0, ledger.indexOf(0x0a)));
  try {
    const { key } = JSON.parse(first ?? '') as { key?: unknown };
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}
