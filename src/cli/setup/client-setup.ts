import { homedir } from 'node:os';
import { join } from 'node:path';
import { recordSetup, type SetupAnswer } from '../../actions/audit-without-session.ts';
import {
  type ClientFileChange,
  type MachineSetup,
  planRegistration,
  planUndo,
  type RegisterPlan,
  register,
  unregister,
} from '../../actions/register.ts';
import { CLIENTS, type ClientSetup, type ClientSpec } from '../../core/clients/clients.ts';
import { type Start, shellLine } from '../../core/clients/entries.ts';
import { compare, onlyChanges } from '../../core/text/diff.ts';
import { columnsOf } from '../../core/text/display-width.ts';
import { joinText, type SafeText, sanitize, text, visible } from '../../core/text/safe-text.ts';
import { Disk } from '../../store/disk/disk.ts';
import { leadsTo } from '../../store/places/own-folders.ts';
import type { Places } from '../../store/places/places.ts';
import { programOnPath, thisSystem } from '../../store/places/system-programs.ts';
import { hasPlugin, isInstalled } from '../../store/programs/client-files.ts';
import { SIDES } from '../ask/sheet.ts';
import { whyNobody } from '../ask/witness.ts';
import { EXIT } from '../command.ts';
import { complain, say, tell, windowSize } from '../terminal/print.ts';
import { wrapped } from '../terminal/quote.ts';
import { Terminal } from '../terminal/terminal.ts';

/** How clients start this program: by absolute paths, because a client's PATH may differ. */
export function thisMachineOf({ root, config }: Places): MachineSetup {
  const { env, platform, execPath, argv } = process;
  const home = homedir();
  const isUsual = root === leadsTo(join(home, '.surety'));
  const args = [leadsTo(argv[1] ?? ''), ...(isUsual ? [] : ['--root', root])];
  return { home, env, platform, config, start: { command: execPath, args } };
}

/**
 * Shows what registering would change in each client's files, asks, and writes it; then `next`, for each that it set up whole.
 * Returns the clients that do not have Surety then, too.
 */
export async function offerRegistration(
  machine: MachineSetup,
  root: string | undefined,
  next: (client: ClientSetup, name: SafeText) => Promise<void>,
): Promise<{ readonly code: number; readonly without: readonly ClientSpec[] }> {
  const having = new Set<ClientSetup>();
  const code = await forEachClient(
    machine,
    async (client, name) => {
      const offered = await offerOne(client, name, machine, root);
      if (offered.is !== 'not set up') having.add(client);
      if (offered.is === 'new') await next(client, name);
      return offered;
    },
    INIT_ABSENT,
  );
  return { code, without: CLIENTS.filter(({ setup }) => setup === undefined || !having.has(setup)) };
}

/** Shows what unregistering would change in each client's files, asks, and writes it. Says which folders stay. */
export async function undoRegistration(
  machine: MachineSetup,
  root: string | undefined,
  places: Places,
): Promise<number> {
  const code = await forEachClient(machine, (client, name) => undoOne(client, name, machine, root), UNDO_ABSENT);
  tellWhatStays(places);
  return code;
}

/** A person who takes Surety off this machine has to know where their memories and the key still lie. */
function tellWhatStays({ root, config, state, cache }: Places): void {
  const disk = new Disk();
  const staying = (
    [
      [root, text`the memories and the ledgers`],
      [config, text`this machine’s key and the settings`],
      [state, text`copies of what you vouched for, and the audit log`],
      [cache, text`the search index`],
    ] as const
  ).filter(([folder]) => disk.isFolder(folder));
  if (staying.length === 0) return;
  tell(text`These folders stay. No command removes them; remove them by hand if you want nothing of Surety left:`);
  for (const [folder, holds] of staying) {
    const [path, what] = [text`  ${visible(folder, 'line')}`, text`(${holds})`];
    const beside = text`${path} ${what}`;
    // The path stays in one piece, because people copy it.
    if (columnsOf(beside.toString()) <= windowSize().width) say(beside);
    else for (const line of [path, text`    ${what}`]) say(line);
  }
}

const INIT_ABSENT = text`nothing of theirs was written`;
const UNDO_ABSENT = text`there was nothing to take out`;

/** Sets up one client after another, of those that are on this machine; returns the worst exit code. */
async function forEachClient(
  machine: MachineSetup,
  work: (client: ClientSetup, name: SafeText) => Promise<ClientDone>,
  ofAbsent: SafeText,
): Promise<number> {
  let code: number = EXIT.done;
  let answer: ClientDone['answer'];
  const absent: SafeText[] = [];
  for (const { name: written, setup } of CLIENTS) {
    if (setup === undefined) continue;
    const name = sanitize(written, 'line');
    if (!isInstalled(setup, machine)) {
      absent.push(name);
      continue;
    }
    if (answer !== undefined) say();
    const done = await work(setup, name);
    code = Math.max(code, done.code);
    answer = done.answer ?? answer;
  }
  if (absent.length > 0) {
    if (answer !== undefined) say();
    tell(text`Not on this machine, so ${ofAbsent}: ${joinText(absent, text`, `)}.`);
  }
  if (answer === 'nobody') complain(`Nothing was written. ${whyNobody('init')}`);
  return code;
}

/** What became of one client. `answer` is there if a person was asked, or would have been. */
interface ClientDone {
  readonly code: number;
  readonly answer?: SetupAnswer | 'nobody';
}

async function offerOne(client: ClientSetup, name: SafeText, machine: MachineSetup, root: string | undefined) {
  if (hasPlugin(client, machine)) {
    tellPlugin(name, planUndo(client, machine));
    return { code: EXIT.done, is: 'set up' } as const;
  }
  if (/[\\/]_npx[\\/]/.test(machine.start.args[0] ?? '')) {
    tell(
      text`Nothing was registered with ${name}: this copy of Surety lies in npm’s cache and may be gone tomorrow. Put it where it stays first (npm ci && npm link in a clone), then run surety init again.`,
      'warning',
    );
    return { code: EXIT.failed, is: 'not set up' } as const;
  }
  const plan = planRegistration(client, machine);
  const code = tellLeftAlone(plan, 'docs/clients.md has the lines to add by hand.');
  const lacks = new Set(plan.leftAlone.map(({ holds }) => holds));
  const after = lacks.has('server') ? 'not set up' : 'set up';
  if (plan.changes.length === 0) {
    if (code === EXIT.done) tell(text`${name} is set up already.`, 'good');
    return { code, is: after } as const;
  }
  tell(text`${name} is on this machine. This would be written, so that it uses Surety:`, 'strong');
  const answer = await shownAndAsked(plan);
  if (answer === 'nobody') return { code, answer, is: 'not set up' } as const;
  if (answer !== 'yes') {
    recordSetup(root, 'init', answer);
    tell(text`Nothing was written.`);
    return { code, answer, is: 'not set up' } as const;
  }
  register(machine, plan);
  recordSetup(root, 'init', 'yes');
  if (lacks.size > 0) {
    const missing = lacks.has('server')
      ? text`is not set up: it does not start Surety’s server`
      : text`starts Surety’s server, but its hooks are missing`;
    tell(
      text`The rest was written. ${name} ${missing}, because a file was left alone. Mend that file, then run surety init again.`,
      'warning',
    );
    return { code, answer, is: after } as const;
  }
  tell(text`${name} is set up; it takes effect in the next session. surety init --undo takes it back.`, 'good');
  if (client.afterwards !== undefined) tell(client.afterwards);
  return { code, answer, is: 'new' } as const;
}

/** The plugin brings the server and the hooks, so entries beside it would do everything twice. */
function tellPlugin(name: SafeText, { changes }: RegisterPlan): void {
  if (changes.length === 0) {
    tell(
      text`${name} has Surety as a plugin, with the server and the hooks. Nothing was written to its files.`,
      'good',
    );
    return;
  }
  tell(
    text`${name} has Surety twice: as a plugin, and by what surety init wrote earlier. surety init --undo takes out what it wrote; the plugin stays.`,
    'warning',
  );
}

async function undoOne(
  client: ClientSetup,
  name: SafeText,
  machine: MachineSetup,
  root: string | undefined,
): Promise<ClientDone> {
  const plan = planUndo(client, machine);
  const code = tellLeftAlone(plan, 'If surety is in it, take that out by hand.');
  if (plan.changes.length === 0) {
    unregister(client, machine, plan);
    if (code === EXIT.done) tell(text`Surety is not in the files of ${name}, so there is nothing to take back.`);
    return { code };
  }
  tell(text`This takes out what is Surety’s:`, 'strong');
  const answer = await shownAndAsked(plan, text`[y] take this out   [n] leave it (Enter)`);
  if (answer === 'nobody') return { code: EXIT.failed, answer };
  if (answer !== 'yes') {
    recordSetup(root, 'init --undo', answer);
    tell(text`Nothing was taken out.`);
    return { code: EXIT.failed, answer };
  }
  unregister(client, machine, plan);
  recordSetup(root, 'init --undo', 'yes');
  tell(text`Surety is out of the files of ${name}.`, 'good');
  return { code, answer };
}

/** Every message says `surety`, so a person without it on the PATH is given the words to type instead. */
export function tellCommand({ env, start }: MachineSetup): void {
  if (programOnPath('surety', thisSystem(env)) !== undefined) return;
  tell(
    text`surety is not on the PATH (npm link in a clone puts it there). Where a message says surety, type:`,
    'strong',
  );
  say(text`  ${visible(shellLine([start.command, ...start.args.slice(0, 1)]), 'line')}`);
  say();
}

/** Prints the lines for setting up clients by hand, unwrapped so that they can be copied. */
export function tellClients(start: Start, clients: readonly ClientSpec[]): void {
  tell(text`For other clients, the server by hand (docs/clients.md says more):`, 'strong');
  for (const { name, byHand } of clients) {
    const { file, lines } = byHand(start);
    const line = typeof lines === 'string' ? lines : JSON.stringify(lines);
    say(['label', sanitize(`${name}${file === undefined ? '' : `, in ${file}`}:`, 'line')]);
    say(text`  ${visible(line, 'line')}`);
  }
}

/** What to do next, last on the screen; nothing where no client has Surety. */
export function tellFirstWords(without: readonly ClientSpec[]): void {
  const having = CLIENTS.filter((client) => !without.includes(client));
  if (having.length === 0) return;
  const names = joinText(
    having.map(({ name }) => sanitize(name, 'line')),
    text` or `,
  );
  say();
  tell(text`Next: begin a new session in ${names}, and type what it should know, such as:`, 'strong');
  say(text`  remember: we deploy only on weekdays`);
}

function tellLeftAlone({ leftAlone }: RegisterPlan, advice: string): number {
  for (const { path, why } of leftAlone) {
    complain(`surety: ${visible(path, 'line')} is left alone: ${why}. ${advice}`);
  }
  return leftAlone.length === 0 ? EXIT.done : EXIT.failed;
}

/** The yes covers only the lines on the screen; no flag replaces it. */
export async function shownAndAsked(
  plan: RegisterPlan,
  choices = text`[y] write this   [n] leave it (Enter)`,
): Promise<SetupAnswer | 'nobody'> {
  for (const change of plan.changes) show(change);
  return asked(choices);
}

/** Asks at the terminal; only `y` is a yes, and Enter alone leaves the question. Why nobody can be asked is for the caller to say. */
export async function asked(choices: SafeText): Promise<SetupAnswer | 'nobody'> {
  if (whyNobody('init') !== undefined) return 'nobody';
  const terminal = new Terminal();
  try {
    say();
    tell(choices, 'label');
    const typed = (await terminal.answer('answer: '))?.trim().toLowerCase();
    if (!typed) return 'left';
    return typed === 'y' || typed === 'yes' ? 'yes' : 'no';
  } finally {
    terminal.close();
  }
}

function show({ file, after }: ClientFileChange): void {
  say();
  const [before, now] = [linesOf(file.bytes), linesOf(after)];
  const name = visible(file.path, 'line');
  if (file.bytes === undefined) tell(text`${name} (a new file)`, 'strong');
  else if (after === undefined) tell(text`${name} (removed: surety init made it)`, 'strong');
  else tell(name, 'strong');
  for (const line of onlyChanges(compare(before, now), 1)) {
    if (line === undefined) say(['label', text`  …`]);
    else {
      const [mark, style] = SIDES[line.side];
      // What goes on in the next row is set in, so that nothing of a file begins in the first column.
      for (const [i, row] of wrapped(visible(line.text, 'body'), windowSize().width - mark.length).entries())
        say([style, text`${i === 0 ? mark : text`  `}${row}`]);
    }
  }
}

function linesOf(bytes: Buffer | undefined): string[] {
  return bytes === undefined
    ? []
    : bytes
        .toString('utf8')
        .replace(/\r?\n$/, '')
        .split(/\r?\n/);
}
