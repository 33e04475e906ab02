import { distrustMachine, listMachines, trustMachine } from '../../src/actions/review/machines.ts';
import { shownForErasing, shownForLedger } from '../../src/actions/review/shown.ts';
import { auditOf, type Session } from '../../src/actions/session.ts';
import { erase, toErase } from '../../src/actions/upkeep/erase.ts';
import { parseId } from '../../src/core/memory/ids.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { witnessed } from '../../src/core/trust/consent.ts';
import { putBackMissing } from '../../src/store/maintenance/put-back-missing.ts';
import { repairLedger, repairsOf } from '../../src/store/maintenance/repair-ledger.ts';
import { openVault } from '../../src/store/open-vault.ts';
import { resolvePlaces } from '../../src/store/places/places.ts';
import { reconcile } from '../../src/store/reconcile/reconcile.ts';
import { enrol, requirePasskey } from '../../testkit/passkeys.ts';
import { pick } from '../../testkit/seeded.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';

// What a person does at a machine's terminal, as the tests give their word: through the same actions as the commands.

/** Opens the machine's store as a command does. What it refuses is noted, and its code returned. */
async function atMachine(fleet: Fleet, machine: Machine, work: (session: Session) => Promise<void>): Promise<void> {
  const { home } = machine;
  const places = resolvePlaces({ root: undefined, env: {}, home, account: home, platform: process.platform });
  const vault = await openVault(places, { now: () => machine.now(), complain: (line) => machine.hear(line) });
  try {
    await reconcile(vault);
    await work({ vault, audit: auditOf(places, () => {}), proposals: 0 });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    fleet.count(`refused: ${error.code}`);
    fleet.note(`${machine.name}: refused with ${error.code}: ${error.message}`);
  } finally {
    vault.close();
  }
}

/** A person at each machine lets every other one's word count there, as far as its ledger is whole. */
export async function trustAll(fleet: Fleet): Promise<void> {
  for (const machine of fleet.machines)
    await atMachine(fleet, machine, async (session) => {
      for (const other of listMachines(session)) {
        if (other.trusted && !other.own) machine.trusted.add(other.fingerprint);
        if (other.own || other.trusted || other.trouble !== undefined) continue;
        const report = session.vault.reports().find(({ fingerprint }) => fingerprint === other.fingerprint);
        if (report === undefined) continue;
        const yes = witnessed('page', shownForLedger('trust-machine', report, 'untrusted'));
        await trustMachine(session, other, `other-${other.fingerprint.slice(0, 8)}`, yes);
        machine.trusted.add(other.fingerprint);
        fleet.note(`${machine.name}: a person trusts ${other.fingerprint.slice(0, 8)}`);
      }
    });
}

/** A person at the doctor takes the first repair that is offered for each ledger in trouble; `last` takes the last one. */
export function mendLedgers(fleet: Fleet, machine: Machine, last = false): Promise<void> {
  return atMachine(fleet, machine, async ({ vault }) => {
    for (const report of vault.reports()) {
      if (report.trouble === undefined) continue;
      const repair = repairsOf(vault, report).at(last ? -1 : 0);
      const whose = report.own ? 'its own' : report.fingerprint.slice(0, 8);
      fleet.note(`${machine.name}: ledger ${whose} is ${report.trouble}; a person says ${repair?.kind ?? 'nothing'}`);
      if (repair === undefined) continue;
      const verb = repair.kind === 'accept' ? 'accept-ledger' : 'put-back-ledger';
      const shown = shownForLedger(verb, { ...report, head: repair.head }, repair.trouble);
      await repairLedger(vault, repair, witnessed('page', shown));
      fleet.count(`ledgers mended: ${repair.kind}`);
    }
  });
}

/** A person takes one machine's word away. */
export function distrustOne(fleet: Fleet, machine: Machine, chance: () => number): Promise<void> {
  return atMachine(fleet, machine, async (session) => {
    const other = pick(
      listMachines(session).filter(({ own, trusted }) => !own && trusted),
      chance,
    );
    if (other === undefined) return;
    await distrustMachine(session, other);
    fleet.note(`${machine.name}: a person trusts ${other.fingerprint.slice(0, 8)} no more`);
  });
}

/** A person says yes to the list of what is missing. */
export function putBack(fleet: Fleet, machine: Machine): Promise<void> {
  return atMachine(fleet, machine, async ({ vault }) => {
    const back = await putBackMissing(
      vault,
      vault.missing.all().map(({ id }) => id),
    );
    fleet.note(`${machine.name}: put back ${back.join(', ') || 'nothing'}`);
  });
}

/** A person has everything of a memory removed on this machine. */
export function eraseMemory(fleet: Fleet, machine: Machine, id: string): Promise<void> {
  return atMachine(fleet, machine, async (session) => {
    const known = parseId(id);
    if (known === undefined) return;
    const found = toErase(session, known);
    await erase(session, found, witnessed('page', shownForErasing(found)));
    fleet.note(`${machine.name}: ${id} is erased`);
  });
}

/** A person enrols their passkey here and has it required, on every machine that trusts this one. */
export function requirePasskeyAt(fleet: Fleet, machine: Machine): Promise<void> {
  return atMachine(fleet, machine, async (session) => {
    await enrol(session, fleet.passkey);
    await requirePasskey(session, fleet.passkey);
    fleet.note(`${machine.name}: a passkey is required`);
  });
}
