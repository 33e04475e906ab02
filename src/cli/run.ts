import { parseArgs } from 'node:util';
import { type Command, type Doors, EXIT, type Given, Interrupted, Misuse } from './command.ts';
import { nearestWord } from './nearest-word.ts';
import { COMMANDS } from './registry.ts';

/** Options that every command accepts. */
const GLOBAL = { root: 'a folder' } as const;
const SWITCHES = ['help', 'version', 'verbose'] as const;

/** Every answer was carried out before this is said, so there is nothing to undo. */
const INTERRUPTED = 'Interrupted. Nothing was done besides what is said above.';

/** Runs the command in `argv` and returns the exit code. */
export async function run(typed: readonly string[], doors: Omit<Doors, 'commands'>): Promise<number> {
  const argv = withHelpAsOption(typed);
  let name: string | undefined;
  let command: Command | undefined;
  try {
    name = commandIn(argv);
    command = name === undefined ? undefined : await COMMANDS[name]?.load();
    const { switches, given } = read(argv, name, command);
    if (switches.has('help')) return print(await fitted(command?.help ?? overview()));
    if (switches.has('version')) return print(await fitted(await describeVersion(switches.has('verbose'))));
    if (switches.has('verbose')) throw new Misuse('--verbose goes with --version');
    if (command !== undefined) {
      exitIfOutputFails(command.failed);
      return await command.run(given, { ...doors, commands: COMMANDS });
    }
    // Without any command a client wants the server, and a person at a terminal wants to know what there is.
    if (firstWordOf(argv) === undefined && process.stdin.isTTY) {
      exitIfOutputFails();
      const { overviewAtTerminal } = await import('./commands/overview.ts');
      return await overviewAtTerminal(given.root);
    }
    await doors.serve(given.root);
    return EXIT.done;
  } catch (thrown) {
    return await explain(thrown, name, command?.failed ?? EXIT.failed);
  }
}

/** Exits when stdout fails. A closed pipe (`surety list | head`) is success; a full disk is a failure. */
function exitIfOutputFails(failed: number = EXIT.failed): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    const why =
      error.code === 'EIO' && process.stdout.isTTY
        ? 'its terminal is gone; run it again in another one.'
        : `what it prints cannot be written (${error.code}); see where its output goes.`;
    process.stderr.write(`surety: ${why}\n`);
    process.exit(failed);
  });
}

/** What people type who look for the opposite of `surety remember`: a demote can be undone, an erase cannot. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map(
  ['forget', 'delete', 'remove', 'rm'].map((word) => [word, 'demote']),
);

/** Finds the command's name, which is the first positional argument; undefined means `serve`. */
function commandIn(argv: readonly string[]): string | undefined {
  const first = firstWordOf(argv);
  if (first === undefined || first.value === 'serve') return undefined;
  if (Object.hasOwn(COMMANDS, first.value)) return first.value;
  const meant = OTHER_WORDS.get(first.value) ?? nearestWord(first.value, ['serve', 'help', ...Object.keys(COMMANDS)]);
  throw new Misuse(`surety has no such command${meant === undefined ? '' : ` (did you mean surety ${meant}?)`}`);
}

/** `surety help COMMAND` is `surety COMMAND --help`. */
function withHelpAsOption(argv: readonly string[]): readonly string[] {
  const first = firstWordOf(argv);
  return first?.value === 'help' ? ['--help', ...argv.toSpliced(first.index, 1)] : argv;
}

function firstWordOf(argv: readonly string[]) {
  return tokensOf(argv, GLOBAL).find((token) => token.kind === 'positional');
}

function read(argv: readonly string[], name: string | undefined, command: Command | undefined) {
  const spoken = firstWordOf(argv) === undefined ? 'surety' : `surety ${name ?? 'serve'}`;
  const valued: Readonly<Record<string, string>> = { ...GLOBAL, ...command?.options };
  const switches = new Set<string>();
  const options: Record<string, string> = {};
  const positionals: string[] = [];
  for (const token of tokensOf(argv, valued)) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      positionals.push(token.value);
    } else if (Object.hasOwn(valued, token.name)) {
      // `--root --help` means the folder was forgotten. `--root=--help` names a folder.
      const forgotten = !token.value || (!token.inlineValue && token.value.startsWith('-'));
      if (forgotten) throw new Misuse(`--${token.name} needs ${valued[token.name]}`);
      options[token.name] = token.value;
    } else if ([...SWITCHES, ...(command?.switches ?? [])].some((known) => known === token.name)) {
      if (token.value !== undefined) throw new Misuse(`--${token.name} takes no value`);
      switches.add(token.name);
    } else {
      throw new Misuse(`${spoken} does not know the option at argument ${token.index + 1}`);
    }
  }
  const { root, ...own } = options;
  const rest = positionals.slice(1);
  if (rest.length > (command?.takes ?? 0)) {
    const takes = command?.takes ?? 0;
    const most = takes === 0 ? 'no argument' : takes === 1 ? 'at most one argument' : `at most ${takes} arguments`;
    throw new Misuse(`${spoken} takes ${most} besides options`);
  }
  const given: Given = { root, options: own, switches, rest };
  return { switches, given };
}

function tokensOf(argv: readonly string[], valued: Readonly<Record<string, string>>) {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'V' },
      verbose: { type: 'boolean' },
      ...Object.fromEntries(Object.keys(valued).map((name) => [name, { type: 'string' } as const])),
    },
  });
  return tokens;
}

function print(text: string): number {
  exitIfOutputFails();
  process.stdout.write(text);
  return EXIT.done;
}

/** Loaded only here: a server and a hook print no help. */
async function fitted(help: string): Promise<string> {
  const { fitHelp } = await import('./terminal/fit-help.ts');
  return fitHelp(help);
}

/** What `surety --help` prints. */
export function overview(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}\n`);
  return `surety: long-term memory for coding agents that carries trust

usage: surety [COMMAND] [--root DIR]

  serve              speak MCP over stdin and stdout (the default where stdin is no terminal)
${commands.join('')}
  --root DIR         the store's folder (else SURETY_ROOT, else ~/.surety)
  --version          print the version; with --verbose also what it implements
  --help             print this; after a command, its own help (also surety help COMMAND)

exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`;
}

async function describeVersion(verbose: boolean): Promise<string> {
  const { DEVIATIONS, TRUST_MODEL, VALIDATION_RULES, VERSION } = await import('../version.ts');
  if (!verbose) return `${VERSION}\n`;
  const deviations = DEVIATIONS.map((deviation, index) => `  (${index + 1}) ${deviation}\n`).join('');
  return `surety ${VERSION}\ntrust model ${TRUST_MODEL}\nvalidation rules ${VALIDATION_RULES}\ndeclared deviations from trust model ${TRUST_MODEL}:\n${deviations}`;
}

/** Prints an error: an expected one as one sentence, anything else as a bug. */
async function explain(thrown: unknown, name: string | undefined, failed: number): Promise<number> {
  const { complain } = await import('./terminal/print.ts');
  if (thrown instanceof Misuse) {
    const help = name === undefined ? 'surety --help' : `surety ${name} --help`;
    complain(`${thrown.message}; ${help} lists what it knows.`);
    return EXIT.usage;
  }
  if (thrown instanceof Interrupted) {
    complain(INTERRUPTED);
    return EXIT.interrupted;
  }
  const [{ Refusal }, { asDiskRefusal }, { bugDetails }] = await Promise.all([
    import('../core/refusal.ts'),
    import('../store/disk/disk-errors.ts'),
    import('../core/bug-details.ts'),
  ]);
  const refusal = asDiskRefusal(thrown);
  if (refusal instanceof Refusal) {
    if (!refusal.wasTold) complain(`surety: ${refusal.message}`);
    return failed;
  }
  process.stderr.write(`surety failed; please report this:\n${bugDetails(thrown)}\n`);
  return failed;
}
