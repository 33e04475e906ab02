import { vouches } from '../../core/ledger/heads.ts';
import { LIMITS } from '../../core/memory/limits.ts';
import { Refusal } from '../../core/refusal.ts';
import { type SafeText, truncate, Untrusted, visible } from '../../core/text/safe-text.ts';
import { shortLine } from '../../core/text/short-line.ts';
import type { Assurance, Channel, UserConsent } from '../../core/trust/consent.ts';
import { keepVouchedTexts } from '../../store/maintenance/keep-vouched-texts.ts';
import { levelForLedgers } from '../../store/maintenance/passkeys.ts';
import { auditInput } from '../../store/records/audit-input.ts';
import { withoutYes } from '../../store/records/audit-log.ts';
import type { KnownMachine, LedgerReport, Vault } from '../../store/vault/vault.ts';
import { compareFound } from '../contradictions.ts';
import type { Session } from '../session.ts';
import { refuseTooWeak } from './review.ts';

/** A machine with a ledger in this store. */
export interface MachineView extends KnownMachine {
  /** The operator's name for it, else its own name. Two machines may have the same own name. */
  readonly name: Untrusted;
  /** Its own name, if the operator gave it another. */
  readonly callsItself: Untrusted | undefined;
  readonly sameName: boolean;
  readonly trustedAt: string | undefined;
  /** How many memories are verified by its receipts: now, or if it were trusted. */
  readonly vouchesFor: number;
}

/** A memory that a receipt of one machine verifies. */
export interface Vouched {
  readonly id: string;
  readonly name: Untrusted;
  readonly at: number;
  readonly channel: string;
  readonly level: number;
}

/** What a machine is called here: by the person, by itself, or in the list of trusted machines. */
function calledHere({ vault }: Session, { given, machine, listed, own }: KnownMachine): string {
  return given ?? (own ? vault.self.machine : undefined) ?? listed?.name ?? machine ?? 'unknown';
}

/** The name of every machine with a ledger here, by fingerprint. */
export function machineNames(session: Session): Map<string, SafeText> {
  return new Map(
    session.vault.machines().map((each) => [each.fingerprint, visible(calledHere(session, each), 'line')]),
  );
}

/** A machine in a sentence: its name, which it may have given itself, and the beginning of its fingerprint. */
export function machineInWords(names: ReadonlyMap<string, SafeText>, fingerprint: string): string {
  const name = names.get(fingerprint);
  return `${name === undefined ? 'a machine' : truncate(name, 40)} (${fingerprint.slice(0, 16)})`;
}

/** Every machine with a ledger here; this one first, then by fingerprint. */
export function listMachines(session: Session): MachineView[] {
  const { vault } = session;
  const named = vault.machines().map((report) => ({ report, called: calledHere(session, report) }));
  const word = verifiedBy(session);
  const ids = claims(vault);
  return named
    .map(({ report, called }) => ({
      ...report,
      name: Untrusted.of(called),
      callsItself: report.machine === undefined || report.machine === called ? undefined : Untrusted.of(report.machine),
      sameName: named.some((other) => other.report !== report && other.called.toLowerCase() === called.toLowerCase()),
      trustedAt: report.trusted ? report.listed?.trustedAt : undefined,
      vouchesFor: report.raises ? (word.get(report.fingerprint) ?? 0) : wouldVerify(session, report, ids).length,
    }))
    .sort((a, b) => Number(b.own) - Number(a.own) || (a.fingerprint < b.fingerprint ? -1 : 1));
}

/**
 * The machine meant by the beginning of its fingerprint, or by a name that only one machine has. The name that it has here comes
 * before what it calls itself, so that `surety machines name` tells two of one name apart.
 */
export function machineCalled(session: Session, given: string): MachineView {
  const all = listMachines(session);
  const wanted = given.toLowerCase();
  const byPrint = /^[0-9a-f]{8,64}$/.test(wanted) ? all.filter((m) => m.fingerprint.startsWith(wanted)) : [];
  const byName = all.filter((m) => calledHere(session, m).toLowerCase() === wanted);
  const found =
    [byPrint, byName].find((fitting) => fitting.length > 0) ?? all.filter((m) => isCalled(session, m, wanted));
  const [machine] = found;
  if (machine === undefined) {
    throw new Refusal(
      'no-such-machine',
      'No machine of that name has a ledger here; surety machines lists them. Name it by its name or the first 8 characters of its fingerprint.',
    );
  }
  if (found.length > 1) {
    throw new Refusal(
      'no-such-machine',
      'More than one machine fits; surety machines lists them. Name it by more characters of its fingerprint.',
    );
  }
  return machine;
}

/** The memories that trust in this machine would verify, with the receipt behind each. */
export function whatTrustVerifies(session: Session, { fingerprint }: Pick<MachineView, 'fingerprint'>): Vouched[] {
  return wouldVerify(session, { fingerprint }).flatMap((known) => {
    const { standing } = known;
    // It may be quarantined now, where the machine has restored it: then trust takes it out of quarantine.
    const loaded = session.vault.loadSurveyed(known);
    if (standing.tier !== 'verified' || loaded?.memory === undefined || loaded.withheld) return [];
    const { at, channel = 'unknown', level } = standing.receipt;
    return [{ id: known.id, name: loaded.memory.name, at, channel, level }];
  });
}

/** Machines that can be trusted: not trusted yet, and with a whole ledger. */
export function untrustedMachines(session: Session): MachineView[] {
  return listMachines(session).filter(({ own, trusted, trouble }) => !own && !trusted && trouble === undefined);
}

/** Refuses before a person reads a long list for a yes that could not count. */
export function refuseTrusting({ vault }: Session, machine: MachineView, level?: Assurance): void {
  if (machine.own) throw new Refusal('not-allowed', 'This is the machine you are at; its word counts already.');
  if (machine.trusted) throw new Refusal('not-allowed', 'This machine is trusted already. Nothing was changed.');
  if (machine.trouble !== undefined) throw new Refusal('ledger-trouble', machine.advice);
  if (vault.keyTrouble !== undefined) throw vault.keyTrouble;
  refuseTooWeak(levelForLedgers(vault), level);
}

/** Lets the machine's ledger count, with the person's yes for exactly what was shown. */
export function trustMachine(
  session: Session,
  machine: MachineView,
  name: string,
  consent: UserConsent,
): Promise<void> {
  const { vault, audit } = session;
  const { fingerprint } = machine;
  const input = auditInput({ name });
  const attempt = { channel: consent.channel, action: 'machines-trust', id: fingerprint, input };
  return audit.runAndRecord(attempt, async () => {
    await vault.trust(fingerprint, machineName(name), consent);
    // An earlier name of the person's would otherwise be shown in place of this one.
    if (machine.given !== undefined && machine.given !== machineName(name))
      await vault.nameMachine(fingerprint, machineName(name));
    const vouchedFor = claims(vault).get(fingerprint) ?? [];
    await keepVouchedTexts(vault);
    await compareFound(session, vouchedFor);
  });
}

/** Records that the person saw what trust would verify and did not say yes. */
export function recordNotTrusted(
  { audit }: Session,
  { fingerprint }: MachineView,
  channel: Channel,
  isAnswered: boolean,
): void {
  audit.record({ channel, action: 'machines-trust', id: fingerprint, ...withoutYes(isAnswered) });
}

/** A memory that is no longer verified, and whether another receipt that counts here is for the same text. */
interface Lowered {
  readonly id: string;
  readonly vouchedElsewhere: boolean;
  /** Whether the machine had restored it, so that the quarantine before that is in force again. */
  readonly quarantined: boolean;
}

/**
 * Stops the machine's ledger from counting. This lowers, so no person is asked. Returns the memories that are no longer
 * verified: also those with an older receipt of a machine that counts, because every head must count.
 */
export async function distrustMachine(session: Session, machine: MachineView): Promise<Lowered[]> {
  if (machine.own) throw new Refusal('not-allowed', 'This is the machine you are at; its own word always counts.');
  const { vault } = session;
  const before = vault.newestVerified();
  const attempt = { channel: 'command', action: 'machines-distrust', id: machine.fingerprint };
  await session.audit.runAndRecord(attempt, () => vault.distrust(machine.fingerprint));
  const left = new Set(vault.newestVerified().map(({ id }) => id));
  return before
    .filter(({ id }) => !left.has(id))
    .map(({ id, digest }) => ({
      id,
      vouchedElsewhere: vault.evidence.heads(id).some((head) => vouches(head) && head.digest === digest),
      quarantined: vault.load(id)?.standing.tier === 'quarantined',
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Gives a machine another name here. The name has no effect on trust. */
export function nameMachine(session: Session, { fingerprint }: MachineView, name: string): Promise<void> {
  const attempt = { channel: 'command', action: 'machines-name', id: fingerprint, input: auditInput({ name }) };
  return session.audit.runAndRecord(attempt, () => session.vault.nameMachine(fingerprint, machineName(name)));
}

/** A machine's name as it may appear in files, ledgers and lists: one short sanitized line. */
export function machineName(given: string): string {
  const clean = shortLine(given, LIMITS.tags.max);
  if (clean === '') throw new Refusal('invalid-input', 'A machine’s name has 1 to 40 characters that show.');
  return clean;
}

function isCalled({ vault }: Session, { given, listed, machine, own }: KnownMachine, wanted: string): boolean {
  const names = [given, listed?.name, machine, own ? vault.self.machine : ''];
  return names.some((name) => name?.toLowerCase() === wanted);
}

/** The additional memories that would be verified if this machine's ledger counted. */
function wouldVerify({ vault }: Session, { fingerprint }: Pick<LedgerReport, 'fingerprint'>, ids = claims(vault)) {
  const decided = [...(ids.get(fingerprint) ?? [])].sort();
  const now = new Set(vault.verifiedAmong(decided).map(({ id }) => id));
  const then = vault.verifiedIfTrusted(fingerprint, decided);
  return then.filter(({ id }) => !now.has(id));
}

/**
 * For each machine, the memories whose standing its ledger could raise: it has a decision on them, and some machine
 * states that they are verified. Trust changes no other memory, so the whole store need not be judged for each machine.
 */
function claims(vault: Vault): ReadonlyMap<string, readonly string[]> {
  const { evidence } = vault;
  const found = new Map<string, string[]>();
  for (const { id } of evidence.everVerified()) {
    const decisions = evidence.of(id).filter((s) => s.to !== null);
    for (const fingerprint of new Set(decisions.map(({ ledger }) => ledger.fingerprint))) {
      const ids = found.get(fingerprint);
      if (ids === undefined) found.set(fingerprint, [id]);
      else ids.push(id);
    }
  }
  return found;
}

/** How many memories each machine's receipts verify. */
function verifiedBy({ vault }: Session): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { standing } of vault.newestVerified()) {
    const { fingerprint } = standing.receipt.ledger;
    counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1);
  }
  return counts;
}
