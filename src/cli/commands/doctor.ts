import type { ClientHere } from '../../actions/upkeep/clients-here.ts';
import {
  type Examination,
  examine,
  type RaisedByRepair,
  raisedBy,
  recordedRepair,
  recordRefusedRepair,
  unknownTo,
  whileMending,
} from '../../actions/upkeep/doctor.ts';
import { EXIT_CODES, type MendLedger, type Problem, type Repair } from '../../actions/upkeep/problem.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import { confirmDate } from '../../store/maintenance/confirm-date.ts';
import { repairLedger } from '../../store/maintenance/repair-ledger.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { ours } from '../ask/sheet.ts';
import { Witness, whyNobody, type YesOrNo } from '../ask/witness.ts';
import { type Command, EXIT } from '../command.ts';
import type { TerminalLine } from '../terminal/line.ts';
import { printJson, say, tell, windowSize } from '../terminal/print.ts';

const SHOWN = 20;

export const doctor: Command = {
  help: `usage: surety doctor [--json] [--root DIR]

Looks at the store, its ledgers, index and git repository, this machine's key, settings, records and rights, what
interrupted writes have left, the clock, and whether this folder's project is known from elsewhere; names each client on
this machine with its version, whether it starts this server and its hooks, and what you can confirm in it.
Each finding says what it is, what it means and what to do. At a terminal it offers repairs one by one and does only
what you say yes to; then it looks again. Anywhere else, and in an agent's shell, it only reports.

  --json       print one JSON object, and offer nothing
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

json: {"store", "healthy", "findings": [{"code", "severity": problem or note, "about": [], "what", "means", "advice",
"repairs": []}], "clients": [{"name", "version", "server", "hooks", "confirms"}]}; server and hooks are registered,
not-registered, gone (the program is not there), left-alone (init would not change that file), plugin or unreadable;
healthy is false where there is a problem; a note harms nobody
exit codes: 0 no problem, or none left, ${EXIT_CODES.problem} problems, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  switches: ['json'],
  takes: 0,
  run: async ({ root, switches }) => {
    const found = await examine(root);
    if (switches.has('json')) {
      printJson(asJson(found));
      return codeOf(found);
    }
    const offered = found.problems.some(({ repairs }) => repairs.length > 0);
    const asks = offered && whyNobody('doctor') === undefined;
    // A lone problem is shown with the question about it, a window's height at a time.
    report(asks && found.problems.length === 1 ? { ...found, shown: [] } : found);
    if (!offered) return codeOf(found);
    if (asks) return repairOneByOne(root, found);
    tell(text`Some of this can be repaired: run surety doctor in a terminal of your own, and it asks about each.`);
    return codeOf(found);
  },
};

function isProblem({ severity }: Problem): boolean {
  return severity === 'problem';
}

function codeOf({ problems }: Examination): number {
  return Math.max(EXIT.done, ...problems.map(({ severity }) => EXIT_CODES[severity]));
}

function asJson({ store, problems, clients }: Examination) {
  return {
    store,
    healthy: !problems.some(isProblem),
    findings: problems.map(({ code, severity, about, what, means, advice, repairs }) => ({
      code,
      severity,
      about,
      what,
      means,
      advice,
      repairs: repairs.map(({ name }) => name),
    })),
    clients,
  };
}

const SERVER: Readonly<Record<ClientHere['server'], string>> = {
  plugin: 'starts Surety as a plugin',
  registered: 'starts Surety',
  'not-registered': 'does not know Surety',
  gone: 'starts Surety from a place where it is not any more',
  unreadable: 'has a file that cannot be read',
  'left-alone': 'does not start Surety',
};
const HOOKS: Readonly<Record<ClientHere['hooks'], string>> = {
  plugin: 'its hooks run',
  // Whether a client runs them is up to it: Codex asks the person first.
  registered: 'its hooks are registered',
  'not-registered': 'no hooks, so nothing is loaded by itself',
  gone: 'its hooks fail',
  unreadable: 'whether hooks run cannot be seen',
  'left-alone': 'no hooks, so nothing is loaded by itself',
};

function clientLine({ name, version, server, hooks, confirms }: ClientHere): string {
  return `${name}${version === null ? '' : ` ${version}`} ${SERVER[server]}; ${HOOKS[hooks]}; you confirm ${confirms}`;
}

function report({ store, problems, clients, shown }: Examination & { readonly shown?: readonly Problem[] }): void {
  const grave = problems.filter(isProblem);
  const notes = problems.filter((each) => !isProblem(each));
  for (const each of shown ?? [...grave, ...notes]) {
    for (const line of linesOf(each)) say(...line);
    say();
  }
  for (const client of clients) for (const line of ours('client', clientLine(client), windowSize().width)) say(...line);
  if (clients.length > 0) say();
  const count = (many: number, what: string) => (many === 1 ? `1 ${what}` : `${many} ${what}s`);
  const sum = grave.length === 0 ? 'No problem found' : `${count(grave.length, 'problem')} found`;
  tell(
    text`${sanitize(sum, 'line')}${sanitize(notes.length === 0 ? '' : `, and ${count(notes.length, 'note')}`, 'line')} in ${visible(store, 'line')}.`,
    grave.length === 0 ? 'good' : 'danger',
  );
}

function linesOf({ code, severity, about, whole, what, means, advice }: Problem): TerminalLine[] {
  const { width } = windowSize();
  const most = whole === true ? about.length : SHOWN;
  const more = about.length - most;
  return [
    ...ours(severity, what, width, severity === 'problem' ? 'danger' : 'warning'),
    ...about.slice(0, most).flatMap((each) => ours('', visible(each, 'line').toString(), width)),
    ...(more > 0 ? ours('', `and ${more} more`, width) : []),
    ...ours('means', means, width),
    ...ours('do', advice, width),
    ...ours('code', code, width, 'label'),
  ];
}

async function repairOneByOne(root: string | undefined, first: Examination): Promise<number> {
  const witness = new Witness();
  const declined = new Set<string>();
  let found = first;
  let repaired = 0;
  try {
    for (;;) {
      const next = offers(found).find(({ key }) => !declined.has(key));
      if (next === undefined) break;
      say();
      const answer = await offer(root, witness, next.problem, next.repair);
      if (answer === 'q') break;
      if (answer === 'y') repaired += 1;
      // A repair that was accepted but did not help is not offered again either.
      declined.add(next.key);
      if (answer === 'y') found = await examine(root);
    }
  } finally {
    witness.terminal.close();
  }
  say();
  if (repaired === 0) tell(text`Nothing was changed.`);
  else {
    tell(text`Looked again:`, 'strong');
    report(found);
  }
  return codeOf(found);
}

function offers({ problems }: Examination): { key: string; problem: Problem; repair: Repair }[] {
  return problems.flatMap((problem) =>
    problem.repairs.map((repair) => ({
      key: keyOf(problem, repair),
      problem,
      repair,
    })),
  );
}

/** Identifies a repair, so that it is offered once even if similar problems are settled meanwhile. */
function keyOf({ code, about }: Problem, repair: Repair): string {
  const which = 'id' in repair ? [repair.id] : about;
  return [repair.name, code, ...which].join('\n');
}

async function offer(root: string | undefined, witness: Witness, problem: Problem, repair: Repair): Promise<YesOrNo> {
  const about = linesOf(problem);
  try {
    if ('ledger' in repair) return await offerLedger(root, witness, about, repair);
    if ('date' in repair) return await offerDate(root, witness, about, repair.date);
    const { key: answer, isAnswered } = await witness.askPlainly(about, sanitize(repair.question, 'line'));
    const work = answer === 'y' ? repair.apply : undefined;
    if (answer !== 'q') await recordedRepair(root, repair.name, repair.id, work, isAnswered);
    if (answer === 'n') repair.refused?.();
    if (answer === 'y') tell(sanitize(repair.done, 'line'), 'good');
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    recordRefusedRepair(root, repair.name, error);
    tell(sanitize(error.forPerson, 'line'), 'danger');
    return 'n';
  }
}

/** The yes is for this date, after the entry that is the last. */
function offerDate(
  root: string | undefined,
  witness: Witness,
  about: readonly TerminalLine[],
  date: string,
): Promise<YesOrNo> {
  return whileMending(root, async (vault) => {
    const own = vault.reports().find((report) => report.own);
    if (own === undefined) return 'n';
    const question = text`Is ${sanitize(date, 'line')} the date today?`;
    const { key, consent, isAnswered } = await witness.askToMend('confirm-date', own, date, about, question);
    const work = consent === undefined ? undefined : () => confirmDate(vault, consent);
    if (key !== 'q') await recordedRepair(root, 'confirm-date', undefined, work, isAnswered);
    if (consent !== undefined) tell(text`The date is confirmed; entries are signed again.`, 'good');
    return key;
  });
}

const QUESTIONS = {
  'put-back-ledger': 'Put this copy back in the place of the ledger?',
  'accept-ledger': 'Accept the ledger as it is now?',
} as const;

/** Shows what the yes covers: the ledger, its new end, and every memory it would verify. */
function offerLedger(
  root: string | undefined,
  witness: Witness,
  about: readonly TerminalLine[],
  { name, ledger }: MendLedger,
): Promise<YesOrNo> {
  return whileMending(root, async (vault) => {
    const lines = [...about, ...unknownLines(vault, ledger), ...ledgerLines(ledger, raisedBy(vault, ledger))];
    const question = sanitize(QUESTIONS[name], 'line');
    const { key, consent, isAnswered } = await witness.askToMend(name, ledger, ledger.trouble, lines, question);
    const work = consent === undefined ? undefined : () => repairLedger(vault, ledger, consent);
    if (key !== 'q') await recordedRepair(root, name, ledger.fingerprint, work, isAnswered);
    if (consent !== undefined) tell(text`The ledger counts again, as it is now.`, 'good');
    return key;
  });
}

/** What a ledger holds that this machine does not remember, and what it costs to put the copy in its place. */
function unknownLines(vault: Vault, ledger: MendLedger['ledger']): TerminalLine[] {
  const { width } = windowSize();
  const { decisions, more } = unknownTo(vault, ledger);
  if (decisions.length === 0) return [];
  const rows = decisions.map(({ id, at, action, to, actor, channel, level }) => {
    const what = to === null ? action : `${action}, ${to}`;
    return visible(`${id}: ${what}, by ${actor} (${channel}, level ${level}) on ${dateOf(at)}`, 'line').toString();
  });
  const others = more === 0 ? [] : [`and ${more === 1 ? '1 record' : `${more} records`} that decide nothing`];
  return [
    ...ours('unknown', 'signed with this machine’s key, and not remembered here:', width, 'strong'),
    ...[...rows, ...others].flatMap((row) => ours('', row, width)),
    ...(ledger.kind === 'accept' ? [] : ours('costs', PUT_BACK_COSTS, width, 'danger')),
  ];
}

const PUT_BACK_COSTS =
  'these no longer raise anything here. A machine that has them takes this ledger for a forked one with the next sync, and counts nothing that this machine vouched for.';

function ledgerLines({ kind, head, lastAt }: MendLedger['ledger'], raised: readonly RaisedByRepair[]): TerminalLine[] {
  const { width } = windowSize();
  const entries = head.count === 1 ? '1 entry' : `${head.count} entries`;
  const end = head.count === 0 ? 'none' : `${entries}, the last on ${dateOf(lastAt)}`;
  const becomes = raised.length === 1 ? '1 memory becomes' : `${raised.length} memories become`;
  return [
    ...ours(kind === 'accept' ? 'as it is' : 'the copy', end, width),
    ...ours('then', `${becomes} verified; what was put into quarantine stays there`, width, 'strong'),
    ...raised.flatMap(({ id, at, channel, level }) =>
      ours('', `${id}: a person (${channel}, level ${level}) on ${dateOf(at)}`, width),
    ),
  ];
}
