import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { shownForLedger } from '../src/actions/review/shown.ts';
import { type EntryDraft, signEntry } from '../src/core/ledger/entry.ts';
import { standingKey } from '../src/core/ledger/standing.ts';
import { Refusal } from '../src/core/refusal.ts';
import { type UserConsent, witnessed } from '../src/core/trust/consent.ts';
import { Disk } from '../src/store/disk/disk.ts';
import { insideOf } from '../src/store/vault/inside-of-vault.ts';
import type { FilePlace, Loaded } from '../src/store/vault/loaded-memory.ts';
import type { Decision } from '../src/store/vault/vault.ts';
import { yesToRewording } from './sample.ts';
import { newMemory, TestStore, yes } from './store.ts';

/** Which of the two machines something happens on. */
type Where = 0 | 1;
type Folder = 'memories' | 'quarantine';

/** Everything that can happen to a store, by Surety, by a person, or by anything with file tools. Numbers pick among what is there. */
export type Event =
  | { readonly kind: 'propose'; readonly on: Where; readonly topic: number }
  | { readonly kind: 'add'; readonly on: Where; readonly topic: number }
  | { readonly kind: 'reconcile' | 'restart'; readonly on: Where }
  | { readonly kind: 'clock'; readonly on: Where; readonly days: number }
  | { readonly kind: 'decide'; readonly on: Where; readonly verb: Decision; readonly pick: number; readonly yes: Yes }
  | { readonly kind: 'reword'; readonly on: Where; readonly pick: number; readonly yes: Yes }
  | { readonly kind: 'decline'; readonly on: Where; readonly pick: number }
  | { readonly kind: 'put-back'; readonly on: Where; readonly pick: number }
  | { readonly kind: 'trust' | 'distrust' | 'accept'; readonly on: Where }
  | { readonly kind: 'bad-file'; readonly on: Where; readonly pick: number }
  | { readonly kind: 'edit'; readonly on: Where; readonly pick: number; readonly how: Edit }
  | { readonly kind: 'move'; readonly on: Where; readonly pick: number; readonly how: Move }
  | { readonly kind: 'delete'; readonly on: Where; readonly pick: number }
  | { readonly kind: 'damage'; readonly on: Where; readonly how: Damage; readonly at: number }
  | { readonly kind: 'treachery'; readonly on: Where; readonly pick: number }
  | { readonly kind: 'sync'; readonly to: Where; readonly how: Sync };

const YES = ['genuine', 'genuine', 'genuine', 'genuine', 'for older text', 'for another memory'] as const;
type Yes = (typeof YES)[number];
const EDITS = [
  'body',
  'swap body',
  'claim verified',
  'claim inferred',
  'claim quarantined',
  'last-verified',
  'created-at',
  'name',
] as const;
type Edit = (typeof EDITS)[number];
const MOVES = [
  'to the other folder',
  'to the other folder, unmarked',
  'rename',
  'copy',
  'copy to the other folder',
] as const;
type Move = (typeof MOVES)[number];
const DAMAGES = [
  'cut the tail',
  'cut half a line',
  'flip a byte',
  'delete',
  'reorder',
  'append a forged line',
  'an older copy',
  'mend from the copy',
] as const;
type Damage = (typeof DAMAGES)[number];
const SYNCS = [
  'files and ledger',
  'files and ledger',
  'ledger only',
  'moves as git does',
  'stale ledgers too',
] as const;
type Sync = (typeof SYNCS)[number];

const on = fc.constantFrom<Where>(0, 0, 1);
const pick = fc.nat(40);
const topic = fc.nat(5);

export const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('propose' as const), on, topic }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), on, topic }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('reconcile' as const), on }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('restart' as const), on }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      on,
      days: fc.constantFrom(8, 8, 30, 100, -5, -100),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      on,
      verb: fc.constantFrom<Decision>(
        'promote',
        'promote',
        'adopt',
        'demote',
        'demote',
        'restore',
        'restore',
        'reaffirm',
      ),
      pick,
      yes: fc.constantFrom<Yes>(...YES),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('reword' as const), on, pick, yes: fc.constantFrom<Yes>(...YES) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('decline' as const), on, pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('put-back' as const), on, pick }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('trust' as const), on }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('distrust' as const), on }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('accept' as const), on }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bad-file' as const), on, pick }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('edit' as const), on, pick, how: fc.constantFrom(...EDITS) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), on, pick, how: fc.constantFrom(...MOVES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), on, pick }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('treachery' as const), on: fc.nat(1).map((n) => n as Where), pick }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('damage' as const),
      on,
      how: fc.constantFrom<Damage>(...DAMAGES),
      at: fc.nat(1000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('sync' as const), to: on, how: fc.constantFrom<Sync>(...SYNCS) }),
  },
);

/** A history every run starts with: something verified, something quarantined and something proposed, on both machines. */
export const BEGINNING: readonly Event[] = [
  { kind: 'propose', on: 0, topic: 0 },
  { kind: 'propose', on: 0, topic: 1 },
  { kind: 'add', on: 0, topic: 2 },
  { kind: 'clock', on: 0, days: 8 },
  { kind: 'clock', on: 1, days: 8 },
  { kind: 'decide', on: 0, verb: 'promote', pick: 0, yes: 'genuine' },
  { kind: 'decide', on: 0, verb: 'demote', pick: 1, yes: 'genuine' },
  { kind: 'sync', to: 1, how: 'files and ledger' },
  { kind: 'reconcile', on: 1 },
];

interface Machine {
  readonly store: TestStore;
  /** Whether the operator here lets the other machine's word count. */
  trusts: boolean;
  /** Earlier states of this machine's ledger file, for putting an older one back. */
  readonly snapshots: Buffer[];
}

/** A quarantine that a machine wrote into its own ledger, and who was asked by a genuine yes to lift it. */
interface Lowered {
  readonly by: Where;
  readonly id: string;
  readonly hash: string;
  readonly liftedBy: Set<Where>;
}

/** The disk as it is, without waiting for it: these histories are about what is written, not about power cuts. */
class QuickDisk extends Disk {
  protected override sync(): void {}

  protected override syncFolder(): void {}
}

/**
 * Two machines with real stores, and beside them what must be true of any store: which texts a person has vouched for,
 * which quarantines were written down, and which words were in somebody's keeping. It reads files and ledger lines with
 * its own few lines of code and never asks Surety what it believes.
 */
export class Simulation {
  readonly base: string;
  readonly machines: readonly [Machine, Machine];
  readonly #vouched: { readonly by: Where; readonly id: string; readonly digest: string }[] = [];
  readonly #lowered: Lowered[] = [];
  /** Bodies that a person gave other words: these may go. */
  readonly #rewordedAway = new Set<string>();
  #serial = 0;
  /** What was reached, so that a test can tell that it tried something. */
  readonly reached = new Map<string, number>();

  private constructor(base: string, here: TestStore, there: TestStore) {
    this.base = base;
    this.machines = [
      { store: here, trusts: false, snapshots: [] },
      { store: there, trusts: false, snapshots: [] },
    ];
  }

  static async open(): Promise<Simulation> {
    const base = mkdtempSync(join(tmpdir(), 'surety-model-'));
    const here = await TestStore.open({ home: join(base, 'here'), disk: new QuickDisk() });
    const machine = { name: 'there', identity: 'machine-two' };
    return new Simulation(
      base,
      here,
      await TestStore.open({ home: join(base, 'there'), machine, disk: new QuickDisk() }),
    );
  }

  close(): void {
    for (const { store } of this.machines) store.vault.close();
    rmSync(this.base, { recursive: true, force: true, maxRetries: 3 });
  }

  async run(event: Event): Promise<void> {
    const where = event.kind === 'sync' ? event.to : event.on;
    const before = this.#bodies(where);
    const byHand = await this.#happen(event);
    this.#noteLedger(where);
    if (!byHand) this.#nothingLost(before, this.#bodies(where));
    this.check();
  }

  /** What must hold at every moment, on both machines. */
  check(): void {
    for (const where of [0, 1] as const) {
      for (const seen of this.#everything(where)) this.#checkOne(where, seen);
    }
  }

  #checkOne(where: Where, seen: Loaded): void {
    const about = `${standingKey(seen.standing)} ${seen.place}/${seen.stem} on machine ${where}`;
    this.#reach(standingKey(seen.standing));
    if (seen.standing.tier === 'verified') {
      const digest = digestByHand(seen.id, seen.bytes.toString('utf8'));
      expect(digest, `${about}: the digest is another than SPEC 4.3 says`).toBe(seen.digest);
      const vouched = this.#vouched.some((v) => v.id === seen.id && v.digest === digest && this.#counts(where, v.by));
      expect(vouched, `${about}: nobody whose word counts vouched for this text`).toBe(true);
      expect(seen.place, `${about}: verified outside memories`).toBe('memories');
    }
    const inForce = this.#lowered.find(
      ({ by, id, liftedBy }) =>
        by === where && id === seen.id && ![...liftedBy].some((who) => this.#counts(where, who)),
    );
    if (inForce)
      expect(seen.standing.tier, `${about}: its quarantine was recorded and never lifted`).toBe('quarantined');
    if (seen.place === 'quarantine') expect(seen.standing.tier, about).toBe('quarantined');
  }

  #counts(where: Where, who: Where): boolean {
    return who === where || this.machines[where].trusts;
  }

  /** Returns whether this was done by hand, so that words may be gone. */
  async #happen(event: Event): Promise<boolean> {
    switch (event.kind) {
      case 'propose': {
        const id = await this.#surety(() => this.machines[event.on].store.propose(`topic ${event.topic}`));
        if (id !== undefined) this.#reach('proposed');
        return false;
      }
      case 'add':
        await this.#add(event.on, `topic ${event.topic}`);
        return false;
      case 'reconcile': {
        const done = await this.#surety(() => this.machines[event.on].store.reconcile());
        for (const { kind } of done?.notices ?? []) this.#reach(`notice ${kind}`);
        return false;
      }
      case 'restart':
        await this.machines[event.on].store.reopen();
        return false;
      case 'clock':
        this.machines[event.on].store.pass(event.days);
        return false;
      case 'decide':
        return this.#decide(event.on, event.verb, event.pick, event.yes);
      case 'reword':
        return this.#reword(event.on, event.pick, event.yes);
      case 'decline':
        await this.#decline(event.on, event.pick);
        return false;
      case 'put-back': {
        const seen = this.#pick(event.on, event.pick);
        if (seen && (await this.#surety(() => this.machines[event.on].store.vault.putBack(seen))))
          this.#reach('put back');
        return true;
      }
      case 'trust':
        await this.#trust(event.on);
        return false;
      case 'accept':
        await this.#accept(event.on);
        return false;
      case 'distrust':
        this.#distrust(event.on);
        return false;
      case 'bad-file': {
        const { store } = this.machines[event.on];
        store.write('memories', `user_bad_${event.pick % 3}`, `No frontmatter here, only words. ${this.#serial++}\n`);
        await this.#surety(() => store.reconcile());
        return true;
      }
      case 'edit':
        this.#edit(event.on, event.pick, event.how);
        return true;
      case 'move':
        this.#move(event.on, event.pick, event.how);
        return true;
      case 'delete': {
        const spot = this.#pickSpot(event.on, event.pick);
        if (spot) unlinkSync(this.#path(event.on, spot));
        return true;
      }
      case 'damage':
        this.#damage(event.on, event.how, event.at);
        return true;
      case 'treachery':
        this.#treachery(event.on, event.pick);
        return true;
      case 'sync':
        this.#sync(event.to, event.how);
        return true;
    }
  }

  async #add(where: Where, about: string): Promise<void> {
    const { store } = this.machines[where];
    const id = await this.#surety(() => store.add(about));
    if (id === undefined) return;
    this.#reach('added');
    this.#vouch(where, id, store.text('memories', id));
  }

  async #decide(where: Where, verb: Decision, pick: number, how: Yes): Promise<boolean> {
    const { store } = this.machines[where];
    const shown = this.#pick(where, pick);
    if (shown === undefined) return false;
    const text = shown.bytes.toString('utf8');
    if (how === 'genuine') {
      const done = await this.#surety(() => store.vault.decide(verb, shown, yes(verb, shown), 'a reason'));
      if (done === undefined) return false;
      this.#reach(verb);
      if (verb !== 'demote') this.#vouch(where, shown.id, text);
      // What was set aside may have been recorded on the way, in front of the restore.
      this.#noteLedger(where);
      if (verb === 'restore') this.#lift(where, shown.id);
      return false;
    }
    const consent = yes(verb, shown);
    if (how === 'for older text') {
      this.#edit(where, pick, 'body');
      const now = store.vault.loadSpot(shown);
      if (now !== undefined && now.digest !== shown.digest) await this.#mustRefuse(where, verb, now, consent);
      await this.#mustRefuse(where, verb, shown, consent);
      return true;
    }
    const other = this.#pick(where, pick + 1);
    if (other !== undefined && other.id !== shown.id) await this.#mustRefuse(where, verb, other, consent);
    return false;
  }

  /** A person takes a memory as their own words, which they changed. */
  async #reword(where: Where, pick: number, how: Yes): Promise<boolean> {
    const { store } = this.machines[where];
    const seen = this.#pick(where, pick);
    if (seen === undefined) return false;
    const wording = newMemory('reworded', { body: `These are the operator's own words, number ${this.#serial++}.` });
    const consent = await this.#surety(async () => yesToRewording(store.vault, seen, wording));
    if (consent === undefined) return false;
    const adopt = (of: Loaded) => this.#surety(() => store.vault.adopt(of, wording, consent));
    const before = body(seen.bytes.toString('utf8'));
    if (how === 'genuine') {
      if ((await adopt(seen)) === undefined) return false;
      this.#reach('reworded');
      this.#rewordedAway.add(before);
      this.#vouch(where, seen.id, store.text('memories', seen.id));
      return false;
    }
    if (how === 'for older text') this.#edit(where, pick, 'body');
    const now = how === 'for older text' ? store.vault.loadSpot(seen) : this.#pick(where, pick + 1);
    const isOther = now !== undefined && (now.id !== seen.id || now.digest !== seen.digest);
    if (isOther) {
      expect(await adopt(now), `${now.stem} was reworded on a yes for something else`).toBeUndefined();
      this.#reach('void yes');
    }
    return how === 'for older text';
  }

  async #decline(where: Where, pick: number): Promise<void> {
    const { store } = this.machines[where];
    const seen = this.#pick(where, pick);
    if (seen === undefined) return;
    const no = { channel: 'page', level: 3, client: null } as const;
    const done = await this.#surety(async () => {
      await store.vault.decline(seen, no);
      return true;
    });
    if (done) this.#reach('declined');
  }

  async #mustRefuse(where: Where, verb: Decision, seen: Loaded, consent: UserConsent): Promise<void> {
    const done = await this.#surety(() => this.machines[where].store.vault.decide(verb, seen, consent));
    expect(done, `${verb} of ${seen.stem} was done on a yes for something else`).toBeUndefined();
    this.#reach('void yes');
  }

  async #trust(where: Where): Promise<void> {
    const { store } = this.machines[where];
    const { ledgers } = insideOf(store.vault);
    const { fingerprint } = this.machines[other(where)].store.vault.self;
    ledgers.refresh();
    const report = ledgers.reports().find((each) => each.fingerprint === fingerprint);
    if (report === undefined || report.trusted) return;
    const yes = witnessed('page', shownForLedger('trust-machine', report, 'untrusted'));
    const done = await this.#surety(async () => {
      ledgers.trust(fingerprint, 'other', yes);
      return true;
    });
    if (!done) return;
    this.machines[where].trusts = true;
    this.#reach('trusted');
  }

  /** The operator takes this machine's own ledger as it is now. That may lose receipts, and must lift nothing. */
  async #accept(where: Where): Promise<void> {
    const { ledgers } = insideOf(this.machines[where].store.vault);
    ledgers.refresh();
    const report = ledgers.reports().find(({ own }) => own);
    if (report?.trouble === undefined) return;
    const { fingerprint } = report;
    const shown = shownForLedger('accept-ledger', report, report.trouble);
    const done = await this.#surety(async () => {
      ledgers.accept(fingerprint, witnessed('page', shown));
      return true;
    });
    if (done) this.#reach('accepted');
  }

  #distrust(where: Where): void {
    if (!this.machines[where].trusts) return;
    const { store } = this.machines[where];
    const { fingerprint } = this.machines[other(where)].store.vault.self;
    insideOf(store.vault).ledgers.distrust(fingerprint);
    this.machines[where].trusts = false;
    this.#reach('distrusted');
  }

  #edit(where: Where, pick: number, how: Edit): void {
    const spot = this.#pickSpot(where, pick);
    if (spot === undefined) return;
    const text = readFileSync(this.#path(where, spot), 'utf8');
    const change: Record<Edit, () => string> = {
      body: () => `${text.trimEnd()} Edited ${this.#serial++}.\n`,
      // The words of another file under this one's frontmatter: also those of a quarantined one.
      'swap body': () => {
        const donor = this.#pickSpot(where, pick + 3);
        return donor ? head(text) + body(readFileSync(this.#path(where, donor), 'utf8')) : text;
      },
      'claim verified': () => text.replace(/^trust-level: .*$/m, 'trust-level: verified'),
      'claim inferred': () =>
        text.replace(/^trust-level: .*$/m, 'trust-level: inferred').replace(/^quarantine.*\n/gm, ''),
      'claim quarantined': () => text.replace(/^trust-level: .*$/m, 'trust-level: quarantined'),
      'last-verified': () => text.replace(/^last-verified: .*$/m, 'last-verified: 2031-01-01'),
      'created-at': () => text.replace(/^created-at: .*$/m, 'created-at: 2001-01-01T00:00:00Z'),
      name: () => text.replace(/^name: .*$/m, `name: Another name ${this.#serial++}`),
    };
    writeFileSync(this.#path(where, spot), change[how]());
  }

  #move(where: Where, pick: number, how: Move): void {
    const spot = this.#pickSpot(where, pick);
    if (spot === undefined) return;
    const from = this.#path(where, spot);
    const elsewhere: FilePlace = { ...spot, place: spot.place === 'memories' ? 'quarantine' : 'memories' };
    if (how === 'to the other folder') renameSync(from, this.#path(where, elsewhere));
    else if (how === 'copy to the other folder') copyFileSync(from, this.#path(where, elsewhere));
    else if (how === 'to the other folder, unmarked') {
      const text = readFileSync(from, 'utf8').replace(/^quarantine.*\n/gm, '');
      unlinkSync(from);
      writeFileSync(this.#path(where, elsewhere), text.replace(/^trust-level: .*$/m, 'trust-level: verified'));
    } else {
      const target = this.#path(where, { ...spot, stem: `user_moved_${pick % 4}` });
      if (how === 'rename') renameSync(from, target);
      else copyFileSync(from, target);
    }
  }

  #damage(where: Where, how: Damage, at: number): void {
    const machine = this.machines[where];
    const path = machine.store.ledgerPath;
    const whole = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    if (whole.length === 0 && how !== 'mend from the copy' && how !== 'an older copy') return;
    this.#reach(`damage: ${how}`);
    const lines = whole.toString('utf8').split('\n').filter(Boolean);
    const write = (content: Buffer | readonly string[]) =>
      writeFileSync(path, Array.isArray(content) ? content.map((line) => `${line}\n`).join('') : (content as Buffer));
    if (how === 'cut the tail') write(lines.slice(0, at % lines.length));
    else if (how === 'cut half a line') write(whole.subarray(0, Math.max(0, whole.length - 1 - (at % 300))));
    else if (how === 'flip a byte') {
      const i = at % whole.length;
      write(Buffer.concat([whole.subarray(0, i), Buffer.from([(whole[i] ?? 0) ^ 1]), whole.subarray(i + 1)]));
    } else if (how === 'delete') unlinkSync(path);
    else if (how === 'reorder') write(lines.toSorted((a, b) => (sha256(a + at) < sha256(b + at) ? -1 : 1)));
    else if (how === 'append a forged line') {
      write([...lines, forgedLine(lines, this.#lowered.at(at % Math.max(1, this.#lowered.length)), at)]);
    } else if (how === 'an older copy') {
      const older = machine.snapshots[at % Math.max(1, machine.snapshots.length)];
      if (older !== undefined) write(older);
    } else {
      const copy = join(machine.store.places.state, 'ledgers', `${machine.store.vault.self.fingerprint}.jsonl`);
      if (existsSync(copy)) copyFileSync(copy, path);
    }
  }

  /** The other machine's owner turns: its ledger takes in a quarantine of this machine's and "lifts" it, well signed. */
  #treachery(where: Where, pick: number): void {
    const { store } = this.machines[where];
    const { key } = insideOf(this.machines[other(where)].store.vault);
    const mine = this.#lowered.filter(({ by }) => by === where);
    const target = mine[pick % Math.max(1, mine.length)];
    const path = join(store.places.ledger, `${key.fingerprint}.jsonl`);
    const line = this.#ownLines(where).find((each) => sha256(each) === target?.hash);
    if (target === undefined || line === undefined || !existsSync(path)) return;
    const theirs = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    const { digest, saying, settings, rules } = parsed(line) as unknown as EntryDraft;
    const by = { actor: 'operator', channel: 'page', level: 3, client: null } as const;
    const lift = {
      action: 'restore',
      from: 'quarantined',
      to: 'verified',
      reason: null,
      settled: [],
      replaces: null,
    } as const;
    const draft: EntryDraft = { ...lift, by, settings, rules, digest, saying, id: target.id, after: [target.hash] };
    const copied = pick % 2 === 0;
    const before = copied ? [...theirs, line] : theirs;
    const repeated = signEntry(
      draft,
      { count: before.length, hash: sha256(before.at(-1) ?? '') },
      0,
      store.now,
      key,
      undefined,
    );
    writeFileSync(path, [...before, repeated].map((each) => `${each}\n`).join(''));
    // With the line itself in front, as if it were theirs to take back, the ledger is broken and counts for nothing.
    // Without it this is that machine's word, which counts wherever it is trusted.
    if (!copied && digest !== null) this.#vouched.push({ by: other(where), id: target.id, digest });
    if (!copied) target.liftedBy.add(other(where));
    this.#reach('treachery');
  }

  #sync(to: Where, how: Sync): void {
    const [source, target] = [this.machines[other(to)].store, this.machines[to].store];
    if (existsSync(source.ledgerPath)) {
      copyFileSync(source.ledgerPath, join(target.places.ledger, `${source.vault.self.fingerprint}.jsonl`));
    }
    if (how === 'stale ledgers too') {
      for (const name of readdirSync(source.places.ledger)) {
        copyFileSync(join(source.places.ledger, name), join(target.places.ledger, name));
      }
    }
    if (how === 'ledger only') return;
    for (const place of ['memories', 'quarantine'] as const) {
      for (const name of source.files(place)) {
        copyFileSync(join(source.places[place], name), join(target.places[place], name));
        const moved = join(target.places[place === 'memories' ? 'quarantine' : 'memories'], name);
        if (how === 'moves as git does') rmSync(moved, { force: true });
      }
    }
  }

  /** Runs something of Surety's. A Refusal is an answer; anything else that is thrown is a failure of the test. */
  async #surety<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#reach(`refused: ${error.code}`);
      return undefined;
    }
  }

  #vouch(by: Where, id: string, text: string): void {
    this.#vouched.push({ by, id, digest: digestByHand(id, text) });
  }

  /** A restore lifts the quarantines of this id that its machine knew of. */
  #lift(by: Where, id: string): void {
    const known = this.#linesKnownTo(by);
    for (const lowered of this.#lowered) {
      if (lowered.id === id && (lowered.by === by || known.has(lowered.hash))) lowered.liftedBy.add(by);
    }
  }

  #linesKnownTo(where: Where): Set<string> {
    const { store } = this.machines[where];
    const folders = [store.places.ledger, join(store.places.state, 'ledgers')];
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
    return new Set(files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map(sha256)));
  }

  /** Takes down the quarantines this machine has just written, from its ledger or from its copy of it. */
  #noteLedger(where: Where): void {
    const { store, snapshots } = this.machines[where];
    // Not from the store: what this machine keeps for itself is outside of what any event of this test damages.
    for (const line of this.#ownLines(where)) {
      const hash = sha256(line);
      const { to, id } = parsed(line);
      if (to !== 'quarantined' || typeof id !== 'string') continue;
      if (this.#lowered.some((known) => known.hash === hash)) continue;
      this.#lowered.push({ by: where, id, hash, liftedBy: new Set() });
    }
    if (existsSync(store.ledgerPath)) {
      const now = readFileSync(store.ledgerPath);
      if (!snapshots.at(-1)?.equals(now)) snapshots.push(now);
    }
  }

  /** Every line of its own that a machine keeps outside the store: a copy of its ledger, and what that could not take. */
  #ownLines(where: Where): string[] {
    const { store } = this.machines[where];
    const folder = join(store.places.state, 'ledgers');
    return readdirSync(folder)
      .filter((name) => name.startsWith(store.vault.self.fingerprint))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
  }

  #bodies(where: Where): string[] {
    return this.#spots(where).map((spot) => body(readFileSync(this.#path(where, spot), 'utf8')));
  }

  #nothingLost(before: readonly string[], after: readonly string[]): void {
    const left = [...after];
    for (const words of before) {
      const at = left.indexOf(words);
      if (at === -1 && this.#rewordedAway.has(words)) continue;
      expect(at, `these words are gone: ${words}`).not.toBe(-1);
      left.splice(at, 1);
    }
  }

  #spots(where: Where): FilePlace[] {
    const { store } = this.machines[where];
    const in_ = (place: Folder) =>
      store
        .files(place)
        .filter((name) => name.endsWith('.md'))
        .map((name) => ({ place, stem: name.slice(0, -3) }));
    return [...in_('memories'), ...in_('quarantine')];
  }

  #everything(where: Where): Loaded[] {
    const { vault } = this.machines[where].store;
    return this.#spots(where).flatMap((spot) => vault.loadSpot(spot) ?? []);
  }

  #pickSpot(where: Where, pick: number): FilePlace | undefined {
    const spots = this.#spots(where);
    return spots[pick % Math.max(1, spots.length)];
  }

  #pick(where: Where, pick: number): Loaded | undefined {
    const spot = this.#pickSpot(where, pick);
    return spot && this.machines[where].store.vault.loadSpot(spot);
  }

  #path(where: Where, { place, stem }: FilePlace): string {
    const { places } = this.machines[where].store;
    mkdirSync(places[place], { recursive: true });
    return join(places[place], `${stem}.md`);
  }

  #reach(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }
}

function other(where: Where): Where {
  return where === 0 ? 1 : 0;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A line that claims to lift a quarantine, with a signature that is not this machine's. */
function forgedLine(lines: readonly string[], lowered: Lowered | undefined, at: number): string {
  const last = lines.at(-1) ?? '{}';
  const { sig: _, ...entry } = parsed(lines[at % lines.length] ?? last);
  const forged = {
    ...entry,
    seq: lines.length,
    by: { actor: 'operator', channel: 'page', level: 3, client: null },
    action: 'restore',
    id: lowered?.id ?? entry.id,
    from: 'quarantined',
    to: 'verified',
    after: lowered ? [lowered.hash] : [],
    prev: sha256(last),
    sig: 'A'.repeat(86),
  };
  return JSON.stringify(forged);
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function head(text: string): string {
  return text.slice(0, text.length - body(text).length);
}

/** Everything after the closing line; of a file without one, everything. */
function body(text: string): string {
  const end = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) : -1;
  return end === -1 ? text : text.slice(end + 5);
}

/** SPEC 4.3's digest, for the plain files of this test: one `key: value` on each line. */
function digestByHand(id: string, text: string): string {
  const field = (key: string) => {
    const value = new RegExp(`^${key}: (.*)$`, 'm').exec(head(text))?.[1] ?? '';
    return value.startsWith('"') ? (JSON.parse(value) as string) : value;
  };
  const parts = ['surety-1', id, field('type'), field('name'), field('description'), null, null, body(text)];
  return sha256(JSON.stringify(parts));
}
