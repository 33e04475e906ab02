#!/usr/bin/env node
// Nothing is imported statically: an older Node must get as far as the sentence below, and a newer one should load only
// what the command needs.

const EXIT_USAGE = 64;

const HELP = `surety: long-term memory for coding agents that carries trust

usage: surety [serve | init] [--root DIR]

  serve              speak MCP over stdin and stdout (the default)
  init               create the store and this machine's key, or take a cloned store into use here
  --root DIR         the store's folder (else SURETY_ROOT, else ~/.surety)
  --version          print the version; with --verbose also what it implements
  --help             print this

exit codes: 0 done, 1 failed, 64 the command line was not understood
`;

function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 13);
}

/** Ends with this code once what was written has left: process.exit() would cut a piped stderr short. */
function fail(sentence: string, code: number): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = code;
}

/** Arguments come back in messages: without controls and not at length, so that none of them can play the terminal. */
function printable(argument: string): string {
  return argument.replace(/\p{C}/gu, '?').slice(0, 80);
}

type Command =
  | { kind: 'serve' | 'init'; root: string | undefined }
  | { kind: 'help' }
  | { kind: 'version'; verbose: boolean }
  | { kind: 'misused'; sentence: string };

function misused(sentence: string): Command {
  return { kind: 'misused', sentence: `${sentence}; surety --help lists what it knows.` };
}

async function readCommand(): Promise<Command> {
  const { parseArgs } = await import('node:util');
  const { tokens } = parseArgs({
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'V' },
      verbose: { type: 'boolean' },
      root: { type: 'string' },
    },
  });
  const flags = new Set<string>();
  let kind: 'serve' | 'init' = 'serve';
  let root: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (token.value === 'serve' || token.value === 'init') {
        kind = token.value;
        continue;
      }
      return misused(`surety has no command ${printable(token.value)}`);
    }
    if (token.name === 'root') {
      // "--root --help" is a forgotten folder, not a folder of that name; "--root=--help" still says the latter.
      const forgotten = !token.value || (!token.inlineValue && token.value.startsWith('-'));
      if (forgotten) return misused('--root needs a folder');
      root = token.value;
    } else if (token.name === 'help' || token.name === 'version' || token.name === 'verbose') {
      if (token.value !== undefined) return misused(`--${token.name} takes no value`);
      flags.add(token.name);
    } else {
      return misused(`surety does not know the option ${printable(token.rawName)}`);
    }
  }
  if (flags.has('help')) return { kind: 'help' };
  if (flags.has('version')) return { kind: 'version', verbose: flags.has('verbose') };
  if (flags.has('verbose')) return misused('--verbose goes with --version');
  return { kind, root };
}

async function describeVersion(verbose: boolean): Promise<string> {
  const { DEVIATIONS, TRUST_MODEL, VALIDATION_RULES, VERSION } = await import('./version.ts');
  if (!verbose) return `${VERSION}\n`;
  const deviations = DEVIATIONS.map((deviation, index) => `  (${index + 1}) ${deviation}\n`).join('');
  return `surety ${VERSION}\ntrust model ${TRUST_MODEL}\nvalidation rules ${VALIDATION_RULES}\ndeclared deviations from trust model ${TRUST_MODEL}:\n${deviations}`;
}

async function run(command: Command): Promise<void> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(HELP);
      return;
    case 'version':
      process.stdout.write(await describeVersion(command.verbose));
      return;
    case 'misused':
      fail(command.sentence, EXIT_USAGE);
      return;
    case 'init': {
      const [{ init }, { Refusal }] = await Promise.all([import('./cli/init.ts'), import('./core/refusal.ts')]);
      try {
        process.stdout.write(await init(command.root));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        fail(`surety: ${error.message}`, 1);
      }
      return;
    }
    case 'serve': {
      if (process.stdin.isTTY) {
        process.stderr.write(
          `surety is an MCP server and waits on stdin for a client; connect one with: claude mcp add surety -- node "${process.argv[1]}" (Ctrl+C ends it).\n`,
        );
      }
      const { serve } = await import('./server.ts');
      serve({ root: command.root });
    }
  }
}

if (isNodeTooOld()) {
  fail(`surety needs Node 22.13 or newer; this is ${process.version}; install a newer Node and start it again.`, 1);
} else {
  await run(await readCommand());
}
