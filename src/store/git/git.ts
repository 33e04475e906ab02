import { devNull } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Ended, runToEnd } from './process.ts';

/** Git failed. Its message may hold the remote's own words, so it is shown only to people, cleaned. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly said: string;

  constructor(what: string, said: string) {
    super(what);
    this.said = said;
  }
}

/** Git's messages, in English because LC_ALL is set here. */
export const NO_ROOM = /No space left on device|Disk quota exceeded/;

interface GitOptions {
  readonly input?: Buffer | string;
  /** A separate index instead of the repository's. */
  readonly index?: string;
  /** Exit codes besides 0 that do not mean failure. */
  readonly answers?: readonly number[];
  readonly timeout?: number;
  readonly atMost?: number;
  readonly env?: Readonly<Record<string, string>>;
}

interface GitAnswer {
  readonly code: number;
  readonly out: Buffer;
  readonly said: string;
}

const LOCAL_MS = 120_000;
export const NETWORK_MS = 600_000;
const MOST_BYTES = 1 << 30;

/** Makes git sync everything it writes. */
export const DURABLE = { 'core.fsync': 'all', 'core.fsyncMethod': 'fsync' } as const;

/**
 * For every call: nothing from the store or its repository is run. Hooks, filters, external diff and merge programs,
 * file-system monitors and submodules are off; transports that are commands are refused. The operator's own git
 * settings (identity, signing, login) stay in force, because they are not in the store.
 */
const HARDENED: Readonly<Record<string, string>> = {
  'core.hooksPath': devNull,
  'core.fsmonitor': 'false',
  'core.attributesFile': devNull,
  'core.symlinks': 'false',
  'core.pager': 'cat',
  // Windows only: a memory's path may be longer than 260 characters.
  'core.longpaths': 'true',
  'core.editor': 'false',
  // By default git does not sync objects and refs: a power cut leaves empty files under their names.
  ...DURABLE,
  // Git appends to a reflog even through a link, and a sync needs none: its branch only moves forward.
  'core.logAllRefUpdates': 'false',
  'diff.external': '',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  'push.followTags': 'false',
  'fetch.fsckObjects': 'false',
  'fetch.writeCommitGraph': 'false',
  'transfer.bundleURI': 'false',
  'protocol.ext.allow': 'never',
  'protocol.fd.allow': 'never',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'log.showSignature': 'false',
  'http.lowSpeedLimit': '100',
  'http.lowSpeedTime': '60',
};

/** Git's variables for logging in; all others could select another repository. */
const KEPT = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)$/;

/** The variables that set who commits. */
export function identity(name: string, email: string): Readonly<Record<string, string>> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}
export const OWN_EMAIL = 'surety@localhost';

/** The system's git on one store's repository only: it does not search the folders above. */
export class Git {
  readonly folder: string;
  readonly #root: string;
  readonly #refuse: () => void;

  /** `refuse` throws where git must not start; it is called each time, because the folder may change. */
  constructor(root: string, refuse: () => void = () => {}) {
    this.#root = root;
    this.#refuse = refuse;
    this.folder = join(root, '.git');
  }

  /** Runs one git command, never through a shell. */
  async run(args: readonly string[], asked: GitOptions = {}): Promise<GitAnswer> {
    this.#refuse();
    const settings = Object.entries(HARDENED).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const where = [`--git-dir=${this.folder}`, `--work-tree=${this.#root}`, '--no-pager', '--literal-pathspecs'];
    return runGit([...settings, ...where, ...args], this.#root, asked);
  }

  async text(args: readonly string[], asked: GitOptions = {}): Promise<string> {
    return (await this.run(args, asked)).out.toString('utf8').trim();
  }
}

/** The keys in a git settings file, without its includes and without any repository. */
export async function keysIn(file: string): Promise<string[]> {
  const { out } = await runGit(['config', '--file', file, '--no-includes', '--null', '--name-only', '--list'], '/', {});
  return out
    .toString('utf8')
    .split('\0')
    .filter((key) => key !== '');
}

/** Makes a repository in the store's folder, without templates, which could contain hooks. */
export async function makeRepository(root: string, branch: string): Promise<void> {
  const settings = Object.entries(HARDENED).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  await runGit([...settings, 'init', '--quiet', '--template=', `--initial-branch=${branch}`, '--', root], root, {});
}

async function runGit(args: readonly string[], cwd: string, asked: GitOptions): Promise<GitAnswer> {
  const { input = '', index, answers = [], timeout = LOCAL_MS, atMost = MOST_BYTES, env = {} } = asked;
  const variables = { ...environment(), ...(index === undefined ? {} : { GIT_INDEX_FILE: index }), ...env };
  const { code, stopped, out, said } = await runToEnd(args, { cwd, env: variables, input, timeout, atMost });
  if (code !== undefined && (code === 0 || answers.includes(code))) return { code, out, said };
  throw new GitFailure(stopped === undefined ? `git failed (${code ?? 'killed'})` : STOPPED[stopped], said);
}

const NOT_FOUND = 'git is not installed, or not where programs are looked for';

/** Whether git failed because there is none on the PATH. */
export function isGitMissing({ message }: GitFailure): boolean {
  return message === NOT_FOUND;
}

const STOPPED: Readonly<Record<NonNullable<Ended['stopped']>, string>> = {
  'too-long': 'git took too long and was stopped',
  'too-much': 'the repository holds more than can be read',
  'not-found': NOT_FOUND,
  'not-started': 'git could not be run',
};

function environment(): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name)),
  );
  // Git runs in the store's folder: relative entries could find a program that lies there.
  const path = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute).join(delimiter);
  return {
    ...env,
    ...(process.env.PATH !== undefined && { PATH: path }),
    NoDefaultCurrentDirectoryInExePath: '1',
    LC_ALL: 'C',
    // A person at a terminal may be asked for a password; a timer must fail instead of waiting for ever.
    GIT_TERMINAL_PROMPT: process.stdin.isTTY ? '1' : '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ADVICE: '0',
    // Each commit names its author. Everything else that git signs, such as a reflog, gets our name.
    ...identity('surety', OWN_EMAIL),
  };
}
