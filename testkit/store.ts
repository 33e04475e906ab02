import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { shownForLedger } from '../src/actions/review/shown.ts';
import type { Entry } from '../src/core/ledger/entry.ts';
import { cutText, joinTexts, nameOfSegment } from '../src/core/ledger/segments.ts';
import { standingKey } from '../src/core/ledger/standing.ts';
import { type Channel, witnessed } from '../src/core/trust/consent.ts';
import type { Verb } from '../src/core/trust/tiers.ts';
import { Disk } from '../src/store/disk/disk.ts';
import { pathsByLedger } from '../src/store/ledger/ledger-bytes.ts';
import type { LedgerReport } from '../src/store/ledger/report.ts';
import { confirmDate } from '../src/store/maintenance/confirm-date.ts';
import { openVault, type World } from '../src/store/open-vault.ts';
import { type Places, resolvePlaces } from '../src/store/places/places.ts';
import { type Reconciled, reconcile } from '../src/store/reconcile/reconcile.ts';
import type { AuditEntry } from '../src/store/records/audit-log.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import type { Loaded } from '../src/store/vault/loaded-memory.ts';
import type { NewMemory } from '../src/store/vault/new-memory.ts';
import type { Decided, Decision, Vault } from '../src/store/vault/vault.ts';
import { add, DAY, digestOfBirth, propose, START, yes } from './sample.ts';

export { AGENT, DAY, newMemory, START, yes } from './sample.ts';

/** A temporary home that is gone when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'surety-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** The file of the search index in a cache folder. */
export function indexIn(cache: string): string {
  const [index = join(cache, 'index.db')] = globSync(join(cache, 'index-*.db'));
  return index;
}

export function placesIn(home: string, root?: string): Places {
  mkdirSync(home, { recursive: true });
  return resolvePlaces({ root, env: {}, home, account: home, platform: 'linux' });
}

type AtEnd = (end: () => void) => void;

/** A store on a real disk in a temporary home, with a clock that only the test moves. */
export class TestStore {
  readonly home: string;
  readonly places: Places;
  readonly complaints: string[] = [];
  readonly #world: World;
  readonly #atEnd: AtEnd;
  now = START;
  vault!: Vault;

  private constructor(home: string, root: string | undefined, world: World, atEnd: AtEnd) {
    this.home = home;
    this.places = placesIn(home, root);
    this.#world = world;
    this.#atEnd = atEnd;
  }

  /** It is closed at the end of the test; `atEnd` says when instead, for a store that several tests use. */
  static async open(
    options: World & { home?: string; root?: string; now?: never; atEnd?: AtEnd } = {},
  ): Promise<TestStore> {
    const { home = temporaryFolder(), root, atEnd = onTestFinished, ...world } = options;
    const store = new TestStore(home, root, world, atEnd);
    await store.reopen();
    return store;
  }

  /** A new process on the same files. */
  async reopen(world: World = {}): Promise<Vault> {
    this.vault?.close();
    this.vault = await openVault(this.places, {
      machine: { name: 'here', identity: 'machine-one' },
      now: () => this.now,
      complain: (line) => this.complaints.push(line),
      ...this.#world,
      ...world,
    });
    const { vault } = this;
    this.#atEnd(() => vault.close());
    return vault;
  }

  pass(days: number): void {
    this.now += days * DAY;
  }

  reconcile(): Promise<Reconciled> {
    return reconcile(this.vault);
  }

  load(id: string): Loaded {
    const loaded = this.vault.load(id);
    if (loaded === undefined) throw new Error(`no memory ${id}`);
    return loaded;
  }

  tier(id: string): string {
    return this.load(id).standing.tier;
  }

  standing(id: string): string {
    return standingKey(this.load(id).standing);
  }

  propose(about: string, changes?: Partial<NewMemory>): Promise<string> {
    return propose(this.vault, about, changes);
  }

  /** Written down by a person in their own words. */
  add(about: string, changes?: Partial<NewMemory>, verb?: Verb): Promise<string> {
    return add(this.vault, about, changes, verb);
  }

  digestOfBirth(asked: NewMemory): string {
    return digestOfBirth(this.vault, asked);
  }

  decide(verb: Decision, id: string, reason?: string, channel: Channel = 'page'): Promise<Decided> {
    const seen = this.load(id);
    return this.vault.decide(verb, seen, yes(verb, seen, channel), reason);
  }

  /** A memory that earned it: proposed, observed for a week, promoted. */
  async verified(about: string, changes: Partial<NewMemory> = {}): Promise<string> {
    const id = await this.propose(about, changes);
    this.pass(7);
    await this.decide('promote', id);
    return id;
  }

  path(place: 'memories' | 'quarantine', stem: string): string {
    return join(this.places[place], `${stem}.md`);
  }

  text(place: 'memories' | 'quarantine', stem: string): string {
    return readFileSync(this.path(place, stem), 'utf8');
  }

  /** What anything with file tools can do. */
  write(place: 'memories' | 'quarantine', stem: string, text: string | Buffer): void {
    mkdirSync(dirname(this.path(place, stem)), { recursive: true });
    writeFileSync(this.path(place, stem), text);
  }

  edit(id: string, change: (text: string) => string): void {
    this.write('memories', id, change(this.text('memories', id)));
  }

  /** As a file manager does it. */
  remove(id: string): void {
    rmSync(this.path('memories', id));
  }

  files(place: 'memories' | 'quarantine'): string[] {
    return existsSync(this.places[place]) ? readdirSync(this.places[place]).sort() : [];
  }

  get ledgerPath(): string {
    return join(this.places.ledger, `${this.vault.self.fingerprint}.jsonl`);
  }

  /** All files of this machine's ledger, in order. */
  ledgerPaths(): readonly string[] {
    return pathsByLedger(new Disk(), this.places.ledger).get(this.vault.self.fingerprint) ?? [];
  }

  /** Puts the ledger into files that begin with these entries, as it is after years. */
  layOutLedger(firsts: readonly number[]): void {
    const text = this.ledgerLines()
      .map((line) => `${line}\n`)
      .join('');
    const { fingerprint } = this.vault.self;
    for (const path of this.ledgerPaths()) rmSync(path);
    for (const [first, part] of cutText(text, firsts))
      writeFileSync(join(this.places.ledger, nameOfSegment({ fingerprint, first })), part);
  }

  ledgerLines(): string[] {
    const texts = this.ledgerPaths().map((path) => readFileSync(path, 'utf8'));
    return joinTexts(texts).split('\n').filter(Boolean);
  }

  /** How many bytes the file of this machine's ledger has that is added to. */
  get openLedgerSize(): number {
    return readFileSync(this.ledgerPaths().at(-1) ?? '').length;
  }

  /** What this machine wrote down, one for each memory it is about; not that its ledger is bound to the store. */
  entries(): Entry[] {
    const all = this.ledgerLines().map((line) => JSON.parse(line) as Entry);
    return all
      .filter(({ action }) => action !== 'store')
      .flatMap((entry) => entry.texts?.map(([id, digest, saying]) => ({ ...entry, id, digest, saying })) ?? [entry]);
  }

  get storeId(): string {
    return (JSON.parse(readFileSync(join(this.places.root, 'store.json'), 'utf8')) as { id: string }).id;
  }

  writeLedger(lines: readonly string[]): void {
    writeFileSync(this.ledgerPath, lines.map((line) => `${line}\n`).join(''));
  }

  /** How a ledger stands, as the operator is told; this machine's own unless another is named. */
  report(fingerprint = this.vault.self.fingerprint): LedgerReport {
    insideOf(this.vault).ledgers.refresh();
    const report = this.vault.reports().find((r) => r.fingerprint === fingerprint);
    if (report === undefined) throw new Error(`no ledger ${fingerprint}`);
    return report;
  }

  /** A person was shown the ledger's trouble and takes it as it is. */
  acceptLedger(fingerprint = this.vault.self.fingerprint): void {
    const report = this.report(fingerprint);
    const shown = shownForLedger('accept-ledger', report, report.trouble ?? '');
    insideOf(this.vault).ledgers.accept(fingerprint, witnessed('page', shown));
  }

  /** A person was shown the date and says that it is right. */
  confirmDate(): Promise<void> {
    const shown = shownForLedger('confirm-date', this.report(), new Date(this.now).toISOString().slice(0, 10));
    return confirmDate(this.vault, witnessed('page', shown));
  }

  /** A person lets another machine's word count here. */
  trust(fingerprint: string, name = 'there'): void {
    const consent = witnessed('page', shownForLedger('trust-machine', this.report(fingerprint), 'untrusted'));
    insideOf(this.vault).ledgers.trust(fingerprint, name, consent);
  }

  /** Every attempt on record, as the audit log has it. */
  audit(): AuditEntry[] {
    const path = join(this.places.state, 'audit.ndjson');
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  trouble(): string | undefined {
    insideOf(this.vault).ledgers.refresh();
    return this.vault.reports().find((report) => report.own)?.trouble;
  }
}
