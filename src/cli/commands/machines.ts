import { afterChange } from '../../actions/after-change.ts';
import { passkeysByTrust, whyNoPasskeyCounts } from '../../actions/review/first-passkey.ts';
import {
  distrustMachine,
  listMachines,
  type MachineView,
  machineCalled,
  machineName,
  nameMachine,
  recordNotTrusted,
  refuseTrusting,
  trustMachine,
  type Vouched,
  whatTrustVerifies,
} from '../../actions/review/machines.ts';
import { openForReading, openStore, type Session } from '../../actions/session.ts';
import { tickOffMachine } from '../../actions/sync/sync-notices.ts';
import { type SafeText, sanitize, text, visible } from '../../core/text/safe-text.ts';
import { dateOf, timestamp } from '../../core/trust/clocks.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, EXIT, type Given, Misuse } from '../command.ts';
import type { TerminalLine } from '../terminal/line.ts';
import { printJson, say, tell, windowSize } from '../terminal/print.ts';
import { quote, wrapped } from '../terminal/quote.ts';
import { withStore } from '../with-store.ts';

export const machines: Command = {
  help: `usage: surety machines [--json] [--root DIR]
       surety machines trust MACHINE [--name NAME] [--root DIR]
       surety machines distrust MACHINE [--root DIR]
       surety machines name MACHINE NAME [--root DIR]

Lists the machines that have written a ledger of this store. What a person vouched for on another machine is advisory
here until you trust that machine; what was quarantined there counts here at once. MACHINE is a name, or the first 8 or
more characters of a fingerprint.

  trust      let the machine's word count here: shows its fingerprint and every memory that becomes verified, and asks
             once. Compare the fingerprint with what surety machines shows on that machine. It needs a terminal; the
             review page (surety review --web, or a link in your client) asks this too, after the memories.
  distrust   take its word away; what it vouched for last is advisory again at once and listed, also where you had
             vouched for the same text before it did. surety adopt ID makes each count again. What it had restored is in
             quarantine again; surety restore ID takes it out.
  name       call it something else here; this means nothing for trust

  --json        print one JSON object: {"machines":[{fingerprint, name, own, trusted, counts, entries, last, trouble,
                vouchesFor}]}
  --name NAME   what to call the machine you trust (else what it calls itself)
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)

exit codes: 0 done, 1 failed or answered no, 64 the command line was not understood, 130 interrupted
`,
  options: { name: 'a name' },
  switches: ['json'],
  takes: 3,
  run: (given) => {
    const [verb = 'list', which, name, ...more] = given.rest;
    const run = VERBS[verb];
    const wanted = verb === 'list' ? 0 : verb === 'name' ? 2 : 1;
    if (run === undefined) throw new Misuse('surety machines knows trust, distrust and name');
    if ([which, name, ...more].filter((each) => each !== undefined).length !== wanted)
      throw new Misuse(`surety machines ${verb} needs ${wanted === 2 ? 'a machine and its new name' : 'one machine'}`);
    if (given.options.name !== undefined && verb !== 'trust') throw new Misuse('--name goes with trust');
    if (given.switches.has('json') && verb !== 'list') throw new Misuse('--json goes with the list');
    return run(given, which ?? '', name ?? '');
  },
};

const VERBS: Readonly<Record<string, (given: Given, which: string, name: string) => Promise<number>>> = {
  __proto__: null as never,
  list: ({ root, switches }) => withStore(openForReading(root), (session) => show(session, switches.has('json'))),
  trust: ({ root, options }, which) =>
    withPerson('machines trust', root, (session, witness) => trust(session, witness, which, options.name)),
  distrust: ({ root }, which) => recorded('machines-distrust', root, (session) => distrust(session, which)),
  name: ({ root }, which, name) => recorded('machines-name', root, (session) => rename(session, which, name)),
};

/** Runs what changes something without asking a person, and records a refusal that nothing below recorded. */
function recorded(action: string, root: string | undefined, work: (session: Session) => Promise<number>) {
  return withStore(openStore(root), async (session) => {
    try {
      return await work(session);
    } catch (thrown) {
      session.audit.recordFailureOnce({ channel: 'command', action }, thrown);
      throw thrown;
    }
  });
}

function show(session: Session, json: boolean): number {
  const all = listMachines(session);
  if (json) printJson({ machines: all.map(forPrograms) });
  else if (all.length === 0) tell(text`No machine has written a ledger of this store yet.`);
  else for (const [i, machine] of all.entries()) describe(machine, i > 0);
  return EXIT.done;
}

function forPrograms(machine: MachineView) {
  const { fingerprint, name, own, trusted, raises, entries, lastAt, trouble, vouchesFor } = machine;
  const last = entries === 0 ? null : timestamp(lastAt);
  const named = visible(name, 'line');
  return {
    fingerprint,
    name: named,
    own,
    trusted,
    counts: raises,
    entries,
    last,
    trouble: trouble ?? null,
    vouchesFor,
  };
}

const LABEL = 15;

function describe(machine: MachineView, apart: boolean): void {
  const { callsItself, sameName, advice } = machine;
  if (apart) say();
  say(['strong', text`${visible(machine.name, 'line')}`]);
  const fact = (label: string, what: SafeText) => {
    for (const [i, row] of wrapped(what, windowSize().width - LABEL).entries())
      say(['label', sanitize((i === 0 ? `  ${label}` : '').padEnd(LABEL), 'body')], row);
  };
  fact('fingerprint', sanitize(machine.fingerprint, 'line'));
  if (callsItself !== undefined) fact('calls itself', visible(callsItself, 'line'));
  fact('ledger', ledgerOf(machine));
  fact('word', sanitize(wordOf(machine), 'line'));
  if (sameName) fact('note', text`another machine has this name; tell them apart with surety machines name`);
  if (advice !== '') tell(sanitize(advice, 'line'), 'danger');
}

function ledgerOf({ entries, lastAt }: MachineView): SafeText {
  if (entries === 0) return text`empty`;
  const last = sanitize(dateOf(lastAt), 'line');
  return entries === 1 ? text`1 entry, on ${last}` : text`${entries} entries, the last on ${last}`;
}

function wordOf({ own, trusted, raises, trustedAt, vouchesFor }: MachineView): string {
  const many = vouchesFor === 1 ? '1 memory' : `${vouchesFor} memories`;
  if (own) return `counts: this is the machine you are at; it vouches for ${many}`;
  if (trusted && raises) return `counts since ${trustedAt?.slice(0, 10)}: it vouches for ${many}`;
  if (trusted) return 'trusted, but its ledger is in trouble, so it raises nothing';
  if (vouchesFor === 0) return 'does not count: it vouches for nothing that is here';
  return `does not count: ${many} would be verified by it, and ${vouchesFor === 1 ? 'is' : 'are'} advisory`;
}

async function trust(session: Session, witness: Witness, which: string, asked: string | undefined): Promise<number> {
  const machine = machineCalled(session, which);
  refuseTrusting(session, machine);
  const name = asked === undefined ? visible(machine.name, 'line').toString() : machineName(asked);
  const vouched = whatTrustVerifies(session, machine);
  const warning = passkeysByTrust(session.vault, machine.fingerprint);
  const question = text`Let the word of ${visible(name, 'line')} count here?`;
  const { consent, isAnswered } = await witness.askToTrust(
    machine,
    sheet(machine, vouched, warning, windowSize().width),
    question,
  );
  if (consent === undefined) {
    recordNotTrusted(session, machine, 'terminal', isAnswered);
    tell(text`Nothing was changed.`);
    return EXIT.failed;
  }
  await trustMachine(session, machine, name, consent);
  tell(text`${visible(name, 'line')} is trusted here; ${counted(vouched.length)} verified by it.`, 'good');
  return EXIT.done;
}

/** Everything the yes covers: the machine, each memory it would verify, and who vouched for it. */
function sheet(
  machine: MachineView,
  vouched: readonly Vouched[],
  warning: string | undefined,
  width: number,
): TerminalLine[] {
  const ours = (sentence: SafeText): TerminalLine[] => wrapped(sentence, width).map((row) => [row]);
  return [
    ...quote(visible(machine.name, 'line'), width).map((row): TerminalLine => [['strong', row]]),
    ...ours(text`fingerprint ${sanitize(machine.fingerprint, 'line')}`),
    ...ours(text`ledger ${ledgerOf(machine)}`),
    ...ours(
      text`Compare the fingerprint with what surety machines shows on that machine. From now on what a person there vouches for, restores or has observed counts here too.`,
    ),
    ...ours(
      vouched.length === 0
        ? text`No memory becomes verified by this.`
        : text`${counted(vouched.length)} verified by this:`,
    ),
    ...vouched.flatMap(({ id, name, at, channel, level }): TerminalLine[] => [
      ...ours(
        text`${sanitize(id, 'line')}: a person there, ${sanitize(channel, 'line')} (level ${level}), on ${sanitize(dateOf(at), 'line')}`,
      ),
      ...quote(visible(name, 'line'), width).map((row): TerminalLine => [row]),
    ]),
    ...wrapped(sanitize(warning ?? '', 'line'), width).map((row): TerminalLine => [['danger', row]]),
  ];
}

function counted(count: number): SafeText {
  return count === 1 ? text`1 memory becomes` : text`${count} memories become`;
}

async function distrust(session: Session, which: string): Promise<number> {
  const machine = machineCalled(session, which);
  const lowered = await distrustMachine(session, machine);
  await afterChange(session, 'The notice that this machine is new could not be ticked off', () =>
    tickOffMachine(session, machine.fingerprint),
  );
  const what = lowered.length === 1 ? text`1 memory is` : text`${lowered.length} memories are`;
  tell(
    text`The word of ${visible(machine.name, 'line')} does not count here any more; ${what} verified no longer.`,
    'good',
  );
  for (const { id, vouchedElsewhere, quarantined } of lowered) {
    const also = vouchedElsewhere ? text`, which you or a machine you trust vouched for before` : text``;
    const where = quarantined ? text`, which is in quarantine again, because that machine had restored it` : text``;
    tell(text`  ${sanitize(id, 'line')}${also}${where}`);
  }
  const noPasskey = whyNoPasskeyCounts(session.vault);
  if (noPasskey !== undefined) {
    tell(sanitize(noPasskey, 'line'), 'warning');
    return EXIT.done;
  }
  if (lowered.some(({ quarantined }) => !quarantined))
    tell(text`Look at each: surety adopt ID makes what you still vouch for count again, at once.`);
  if (lowered.some(({ quarantined }) => quarantined))
    tell(text`surety restore ID takes out of quarantine what you still vouch for, and it counts again at once.`);
  return EXIT.done;
}

async function rename(session: Session, which: string, name: string): Promise<number> {
  const machine = machineCalled(session, which);
  await nameMachine(session, machine, name);
  tell(
    text`${sanitize(machine.fingerprint.slice(0, 16), 'line')} is called ${visible(machineName(name), 'line')} here.`,
    'good',
  );
  return EXIT.done;
}
