import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished, type TestOptions, test } from 'vitest';
import { thisMachine } from '../src/store/places/host.ts';
import { PATIENCE_MS } from './patience.ts';
import { BARE_ENV, MAIN } from './program.ts';
import { DAY, TestStore } from './store.ts';

/** As long as a letter that is pressed again passes for one that is held down, and a little more. */
const HELD_MS = 800;

/** Programs that put a command at a pseudo-terminal; the first that is here is used. */
const MAKERS: readonly { readonly has: () => boolean; readonly wrap: (command: readonly string[]) => string[] }[] = [
  {
    has: () => output('script', ['--version']).includes('util-linux'),
    // The shell that script starts is replaced: it would otherwise answer a Ctrl+C with an exit code of its own.
    wrap: (command) => ['script', '-qefc', `exec ${command.map(shellQuoted).join(' ')}`, '/dev/null'],
  },
  {
    has: () => output('python3', ['--version']).startsWith('Python 3'),
    wrap: (command) => [
      'python3',
      '-c',
      'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))',
      ...command,
    ],
  },
];

const maker = MAKERS.find(({ has }) => has());

/** A test at a pseudo-terminal; where none can be made its title says loudly that it did not run. */
export function terminalTest(title: string, run: () => Promise<void>, options: TestOptions = {}): void {
  if (maker) test(title, options, run);
  else test.skip(`NOT TESTED, this machine has neither util-linux script nor python3: ${title}`, run);
}

/** The same for several cases; %s in the title stands for the case. */
terminalTest.each =
  <Case extends string>(cases: readonly Case[]) =>
  (title: string, run: (each: Case) => Promise<void>): void => {
    for (const each of cases) terminalTest(title.replace('%s', each), () => run(each));
  };

export interface Window {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  /** The folder it is started in, else the home. */
  readonly cwd?: string;
  /** A program with its arguments that starts the other one, such as one that makes the disk read-only first. */
  readonly wrap?: readonly string[];
}

/** A person at the real program. */
export class TestTerminal {
  /** Everything that came out, escape sequences included. */
  screen = '';
  readonly exit: Promise<number>;
  readonly #child: ChildProcessWithoutNullStreams;
  #read = 0;
  #changed: (() => void) | undefined;
  #gone = false;
  #pressed = { keys: '', at: 0 };

  constructor(
    home: string,
    args: readonly string[],
    { columns = 80, rows = 70, env = {}, cwd = home, wrap = [] }: Window = {},
  ) {
    const size = `stty cols ${columns} rows ${rows}; exec "$@"`;
    const command = ['/bin/sh', '-c', size, 'sh', ...wrap, process.execPath, MAIN, ...args];
    const [program = '', ...rest] = maker?.wrap(command) ?? [];
    const clean = { ...BARE_ENV, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
    this.#child = spawn(program, rest, { cwd, env: { ...clean, ...env } });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.screen += text;
      this.#changed?.();
    });
    this.exit = new Promise((ended) =>
      this.#child.on('close', (code) => {
        this.#gone = true;
        this.#changed?.();
        ended(code ?? -1);
      }),
    );
    onTestFinished(() => {
      this.#child.kill('SIGKILL');
    });
  }

  /** Waits until this stands in what came since the last wait, and returns that. */
  async until(what: string | RegExp): Promise<string> {
    for (;;) {
      const fresh = plain(this.screen.slice(this.#read));
      if (typeof what === 'string' ? fresh.includes(what) : what.test(fresh)) {
        this.#read = this.screen.length;
        return fresh;
      }
      if (this.#gone) throw new Error(`the program ended before ${what}:\n${plain(this.screen)}`);
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no ${what} in:\n${plain(this.screen)}`)), PATIENCE_MS);
        this.#changed = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
  }

  /** Keys as they are; Enter is \r. */
  press(keys: string): void {
    this.#pressed = { keys, at: performance.now() };
    this.#child.stdin.write(keys);
  }

  /** Waits for the prompt, then types a line. The same again is typed later, because it would pass for a key that is held down. */
  async reply(prompt: string | RegExp, line: string): Promise<string> {
    const shown = await this.until(prompt);
    const { keys, at } = this.#pressed;
    if (/^[a-z]\r?$/i.test(keys) && keys.trim() === line) await sleep(Math.max(0, HELD_MS - (performance.now() - at)));
    this.press(`${line}\r`);
    return shown;
  }

  answer(line: string): Promise<string> {
    return this.reply(/answer: $/, line);
  }

  /** Sends a signal to the program itself and not to the terminal around it. */
  signal(name: NodeJS.Signals): void {
    const { pid } = this.#child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    process.kill(Number(/\d+/.exec(children)?.[0]), name);
  }

  /** The window is closed, whatever the program is doing. */
  hangUp(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * What stands on the screen when the program has ended. A review need not wait for whether its last answer is taken back,
   * and the offer of a passkey is passed over.
   */
  async end(): Promise<{ code: number; shown: string }> {
    const answered = this.#read;
    const pressOnce = () => {
      const shown = plain(this.screen.slice(answered));
      if (!['any other key ends the review: ', 'Enter leaves it: '].some((prompt) => shown.endsWith(prompt))) return;
      this.#changed = undefined;
      this.press('\r');
    };
    this.#changed = pressOnce;
    pressOnce();
    const code = await this.exit;
    return { code, shown: plain(this.screen) };
  }
}

export const ESCAPE = '\u001b';

/** What the line editor and the colours write; anything else that is an escape sequence stays and shows. */
const OURS = new RegExp(`${ESCAPE}\\[(?:\\d+(?:;\\d+)*)?[mGJKCDAB]`, 'g');

/** The screen as text: our own sequences out, line ends plain. */
export function plain(screen: string): string {
  return screen.replaceAll(OURS, '').replaceAll('\r\n', '\n').replaceAll('\r', '');
}

/** A store the real program uses too, whose clock stands ten days back so that an observation can be over today. */
export async function storeTenDaysAgo(home?: string): Promise<TestStore> {
  const store = await TestStore.open({ machine: thisMachine(), ...(home && { home }) });
  store.now = Date.now() - 10 * DAY;
  return store;
}

/** The program as a script or an agent runs it: without a terminal. */
export function piped(
  home: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    const env = { ...BARE_ENV, HOME: home };
    const child = execFile(process.execPath, [MAIN, ...args], { env, cwd: home }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.end(input);
  });
}

/** What the audit log has of the terminal, each as "action id outcome reason". */
export function audited(store: TestStore): string[] {
  const lines = readFileSync(join(store.places.state, 'audit.ndjson'), 'utf8').split('\n').filter(Boolean);
  const entries = lines.map((line) => JSON.parse(line)).filter(({ channel }) => channel === 'terminal');
  return entries.map(({ action, id, outcome, reason }) =>
    [action, id, outcome, reason].filter((part) => part !== undefined).join(' '),
  );
}

/** The ledger's last entry. */
export function lastEntry(store: TestStore) {
  return JSON.parse(store.ledgerLines().at(-1) ?? '{}');
}

function output(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A program that stands in for a person's editor: a shell script that is given the file's name. */
export function editor(home: string, script: string, name = 'editor'): string {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** What is left of texts that were in an editor. */
export function textsInEditor(store: TestStore): string[] {
  const folder = join(store.places.state, 'editing');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Every file below a folder that holds this text. */
export function filesWith(folder: string, text: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}

/** Has the page opened in an ssh session: what the terminal then shows, without line breaks, and the port it says to forward. */
export async function openOverSsh(terminal: TestTerminal): Promise<{ port: string | undefined; shown: string }> {
  await terminal.reply('q leaves: ', '');
  const shown = await terminal.until('Enter here closes it: ');
  const [, port] = /ssh -N -L (\d+):127\.0\.0\.1:\1 /.exec(shown) ?? [];
  return { port, shown: shown.replaceAll('\n', '') };
}
