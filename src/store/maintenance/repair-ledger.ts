import type { KeyObject } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { type Entry, type Head, hashOf, isAuthentic, publicKeyOf } from '../../core/ledger/entry.ts';
import type { Evidence } from '../../core/ledger/evidence.ts';
import { againstMemory, type LedgerTrouble } from '../../core/ledger/replay.ts';
import { cutText, segmentNamed } from '../../core/ledger/segments.ts';
import { Refusal } from '../../core/refusal.ts';
import { refuseLookalike, type UserConsent } from '../../core/trust/consent.ts';
import { Disk, type Stamp } from '../disk/disk.ts';
import { KeptCopies } from '../ledger/kept-copies.ts';
import { bytesAt, segmented } from '../ledger/ledger-bytes.ts';
import type { LedgerFile } from '../ledger/ledger-file.ts';
import { LEDGER_LIMITS, LedgerLines } from '../ledger/ledger-lines.ts';
import { Ledgers } from '../ledger/ledgers.ts';
import { RememberedHeads, type RememberedStore } from '../ledger/remembered-heads.ts';
import type { LedgerReport } from '../ledger/report.ts';
import { TrustedMachines } from '../ledger/trusted-machines.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { byOf, ledgerDraft } from '../vault/ledger-entries.ts';
import type { Vault } from '../vault/vault.ts';
import type { VaultParts } from '../vault/vault-parts.ts';
import { keepVouchedTexts } from './keep-vouched-texts.ts';

/** A repair that makes a troubled ledger count again; it needs a person's yes. */
export interface LedgerRepair {
  /** `accept`: accept the ledger's present content. `put-back`: replace it by this machine's copy. */
  readonly kind: 'accept' | 'put-back';
  readonly fingerprint: string;
  readonly trouble: LedgerTrouble;
  /** Where the ledger ends afterwards. */
  readonly head: Head;
  readonly lastAt: number;
}

/** The troubles of a ledger whose lines are all whole. */
const WHOLE: readonly LedgerTrouble[] = ['missing', 'shorter', 'forked', 'unremembered', 'other-store', 'ahead'];

/** An unremembered ledger's copy proves nothing; an older Surety must not undo what a newer one wrote. */
const NO_COPY: readonly LedgerTrouble[] = ['unremembered', 'other-store', 'newer'];

export function repairsOf(vault: Vault, { fingerprint, trouble, whole, head, lastAt }: LedgerReport): LedgerRepair[] {
  if (trouble === undefined) return [];
  const copy = NO_COPY.includes(trouble) ? undefined : soundCopy(insideOf(vault), fingerprint);
  const about = { fingerprint, trouble };
  const putBack = copy && { kind: 'put-back' as const, ...about, head: copy.head, lastAt: copy.lastAt };
  const accept = whole && WHOLE.includes(trouble) ? { kind: 'accept' as const, ...about, head, lastAt } : undefined;
  // A ledger that is ahead has everything that this machine remembers. Other machines that have its further entries
  // would take what follows the copy for a fork, so the copy comes second.
  return (trouble === 'ahead' ? [accept, putBack] : [putBack, accept]).filter((each) => each !== undefined);
}

/** Entries past all that this machine knows of its own ledger; a person sees them before they accept it. */
export function unrememberedEntries(vault: Vault, { fingerprint, trouble }: LedgerRepair): Entry[] {
  if (trouble !== 'ahead') return [];
  const parts = insideOf(vault);
  const heads = new RememberedHeads(parts.places, parts.disk, parts.key);
  const remembered = heads.all().get(fingerprint)?.count ?? 0;
  const known = Math.max(remembered, soundCopy(parts, fingerprint)?.head.count ?? 0);
  const announced = heads.announced();
  return vault
    .ledgerLines(({ seq }) => seq >= known)
    .filter((line) => line.fingerprint === fingerprint && !line.kept && !announced.has(line.hash))
    .map(({ entry }) => entry);
}

/** What all ledgers would state after the repair; shown to a person before their yes. */
export function evidenceAfter(vault: Vault, repair: LedgerRepair): Evidence {
  const parts = insideOf(vault);
  const { places, key } = parts;
  const { kind, fingerprint, head } = repair;
  const kept = new KeptCopies(places.state, parts.disk);
  const copy = kept.copyPath(fingerprint);
  const disk = new Supposed(
    kind === 'accept'
      ? [
          [copy, undefined],
          [kept.asidePath(fingerprint), copy],
        ]
      : [
          ...pathsOf(parts, fingerprint).map((path) => [path, undefined] as const),
          [segmented(parts.disk, places.ledger, fingerprint).at(0), copy],
        ],
  );
  const heads = new SupposedHeads(places, disk, key);
  const others = repair.trouble === 'other-store' ? parts.ledgers.foreignIds() : [];
  if (kind === 'accept') heads.suppose(fingerprint, head, others);
  const ledgers = new Ledgers({
    places,
    disk,
    key,
    heads,
    machines: new TrustedMachines(places.config, disk, key),
    kept: new KeptCopies(places.state, disk),
    note: (action, about, by) => ledgerDraft(parts, action, about, by),
    now: parts.now,
    complain: () => {},
  });
  ledgers.refresh();
  return ledgers.evidence;
}

/** Makes the repair with the person's yes for exactly what was shown. What it verifies can be put back later. */
export async function repairLedger(vault: Vault, repair: LedgerRepair, consent: UserConsent): Promise<void> {
  await vault.exclusively(() => {
    refuseLookalike(consent);
    const parts = insideOf(vault);
    const { kind, fingerprint } = repair;
    if (kind === 'accept') parts.ledgers.accept(fingerprint, consent);
    else putBack(parts, fingerprint, consent);
    const own = vault.reports().find((report) => report.own);
    if (own?.trouble !== undefined) return;
    parts.ledgers.append([ledgerDraft(parts, 'accepted', fingerprint, byOf(consent))]);
  });
  await keepVouchedTexts(vault);
}

/**
 * The replaced content is not lost. Lines that this ledger's key signed and the copy lacks are set aside and still
 * lower; the replaced file is kept beside them for later inspection.
 */
function putBack(parts: VaultParts, fingerprint: string, consent: UserConsent): void {
  const { ledgers, disk, places, key } = parts;
  const report = ledgers.reports().find((each) => each.fingerprint === fingerprint);
  const copy = soundCopy(parts, fingerprint);
  const bytes = copy?.bytes.readFrom(0, copy.size);
  if (report?.trouble === undefined || copy === undefined || bytes === undefined) {
    throw new Refusal('changed-meanwhile', 'The ledger or its copy changed since it was shown. Nothing was changed.');
  }
  consent.spend({ verb: 'put-back-ledger', id: fingerprint, digest: copy.head.hash, standing: report.trouble });
  const kept = new KeptCopies(places.state, disk);
  const paths = pathsOf(parts, fingerprint);
  const there = bytesAt(disk, paths);
  const present = there.readFrom(0, LEDGER_LIMITS.bytes);
  if (present !== undefined && present.length > 0) {
    const lines = signedAndMissing(new LedgerLines(there), bytes, publicKeyOf(copy.publicKey ?? ''));
    if (lines.length > 0) disk.create(kept.asidePath(fingerprint), `${lines.join('\n')}\n`);
    disk.create(kept.replacedPath(fingerprint), present);
  }
  writeLedger(parts, fingerprint, bytes);
  new RememberedHeads(places, disk, key).remember([[fingerprint, copy.head]]);
}

/** Writes these bytes as the ledger, in files with the existing starts, so that a sync sends only what was missing. */
export function writeLedger(
  { disk, places }: Pick<VaultParts, 'disk' | 'places'>,
  fingerprint: string,
  bytes: Buffer,
): void {
  const place = segmented(disk, places.ledger, fingerprint);
  const firsts = place.paths().map((path) => segmentNamed(basename(path))?.first ?? 0);
  const files = cutText(bytes.toString('utf8'), firsts);
  for (const [first, text] of files) disk.replace(place.at(first), text);
  for (const first of firsts) if (!files.has(first)) disk.remove(place.at(first));
}

function signedAndMissing(present: LedgerLines, copy: Buffer, key: KeyObject | undefined): string[] {
  const known = new Set(copy.toString('utf8').split('\n').map(hashOf));
  return [...present].filter(
    (line) => line !== '' && !known.has(hashOf(line)) && key !== undefined && isAuthentic(line, key),
  );
}

/** The copy, where it is whole and not older than the remembered head. */
export function soundCopy({ places, disk, key, machines }: VaultParts, fingerprint: string): LedgerFile | undefined {
  const listed = machines.all().get(fingerprint)?.publicKey;
  const known = fingerprint === key.fingerprint ? key.verifier : listed === undefined ? undefined : publicKeyOf(listed);
  const copy = new KeptCopies(places.state, disk).copy(fingerprint, known);
  if (copy.damage !== undefined || copy.statements.count === 0) return undefined;
  const remembered = new RememberedHeads(places, disk, key).all().get(fingerprint);
  return remembered && againstMemory(copy.statements, remembered) !== undefined ? undefined : copy;
}

export function pathsOf({ places, disk }: Pick<VaultParts, 'disk' | 'places'>, fingerprint: string): readonly string[] {
  return segmented(disk, places.ledger, fingerprint).paths();
}

/** The disk with some files redirected: each first path is read at the second path of its pair. */
class Supposed extends Disk {
  readonly #files: ReadonlyMap<string, string | undefined>;

  constructor(files: readonly (readonly [path: string, really: string | undefined])[]) {
    super();
    this.#files = new Map(files);
  }

  override *readPortions(path: string, offset: number): Generator<Buffer | undefined> {
    const really = this.#really(path);
    if (really === undefined) yield undefined;
    else yield* super.readPortions(really, offset);
  }

  override readFrom(path: string, offset: number, atMost?: number, room?: Buffer): Buffer | undefined {
    const really = this.#really(path);
    return really === undefined ? undefined : super.readFrom(really, offset, atMost, room);
  }

  override stamp(path: string): Stamp | undefined {
    const really = this.#really(path);
    return really === undefined ? undefined : super.stamp(really);
  }

  override exists(path: string): boolean {
    const really = this.#really(path);
    return really !== undefined && super.exists(really);
  }

  override names(folder: string): string[] {
    const here = [...this.#files.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
    return [...new Set([...super.names(folder), ...here])].filter((name) => this.exists(join(folder, name)));
  }

  #really(path: string): string | undefined {
    return this.#files.has(path) ? this.#files.get(path) : path;
  }
}

class SupposedHeads extends RememberedHeads {
  readonly #supposed = new Map<string, Head>();
  #same: readonly string[] = [];

  /** As if this ledger were remembered to end here, and these ids to mean the store. */
  suppose(fingerprint: string, head: Head, same: readonly string[]): void {
    this.#supposed.set(fingerprint, head);
    this.#same = same;
  }

  override store(): RememberedStore | undefined {
    const store = super.store();
    const unnamed = [...this.#supposed].map(([fingerprint, { count }]) => [fingerprint, count] as const);
    return (
      store && {
        ...store,
        aliases: [...store.aliases, ...this.#same],
        unnamed: { ...store.unnamed, ...Object.fromEntries(unnamed) },
      }
    );
  }

  override all(): ReadonlyMap<string, Head> {
    return new Map([...super.all(), ...this.#supposed]);
  }
}
