import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';

// Who may import whom: core ← store ← actions ← doors ← stdio-connection ← server ← main. Read as text, so a file that does not compile is
// checked too.

const ROOT = join(import.meta.dirname, '..');
const DOORS = ['tools', 'resources', 'prompts', 'cli', 'page', 'hooks'];
const MCP_DOORS = ['tools', 'resources', 'prompts'];
const HEIGHT: Record<string, number> = {
  core: 0,
  version: 0,
  'v8-heap': 0,
  store: 1,
  actions: 2,
  'stdio-connection': 4,
  server: 5,
  main: 6,
};
for (const door of DOORS) HEIGHT[door] = 3;

/**
 * The folders of a layer, bottom first: a file imports from its own folder and from those before it. Files directly in the
 * layer are free, because Biome finds circles between files, types included.
 */
const FOLDERS: Record<string, readonly string[]> = {
  core: [
    'text',
    'passkeys',
    'trust',
    'secrets',
    'memory',
    'ledger',
    'search',
    'contradictions',
    'checks',
    'present',
    'sync',
    'clients',
    'import',
  ],
  store: [
    'disk',
    'places',
    'format',
    'ledger',
    'index',
    'vault',
    'checkout',
    'exchange',
    'records',
    'maintenance',
    'reconcile',
    'git',
    'sync',
    'programs',
  ],
  actions: ['agent', 'review', 'sync', 'report', 'exchange', 'upkeep'],
  cli: ['terminal', 'ask', 'setup', 'commands'],
};

/** One idea a file: a longer one usually holds two. */
const MOST_LINES = 400;
/** A folder that holds more is several subjects side by side. `cli/commands` has one file a command. */
const MOST_FILES = 20;
const UNBOUNDED = ['src/cli/commands'];

/** Exports that give a power away, and the only files that may have it. */
const GUARDED = [
  {
    of: 'src/core/trust/consent.ts',
    name: 'witnessed',
    may: (file: string) =>
      ['src/cli/ask/witness.ts', 'src/page/witness.ts', 'src/tools/dialog-channel.ts'].includes(file),
  },
  {
    of: 'src/core/text/safe-text.ts',
    name: 'reveal',
    may: (file: string) => file.startsWith('src/core/') || file.startsWith('src/store/'),
  },
];

/**
 * What everything outside `store/` may import of it, and why. All else is inside the vault: its parts, its files, the
 * ledgers, the index, the locks.
 */
const STORE_DOORS: Readonly<Record<string, string>> = {
  'open-vault.ts': 'opens a vault',
  'vault/vault.ts': 'the vault, and the types of what it is asked and answers',
  'reconcile/reconcile.ts': 'has a vault take in what happened to its files',
  'reconcile/pauses-for-calls.ts': 'work in the background lets calls go first',
  'reconcile/watch.ts': 'says when something happened to the files',
  'reconcile/survey-newest.ts': 'counts and chooses among all memories',
  'reconcile/survey-changes.ts': 'says what became of some memories, without surveying all',
  'index/match-in-index.ts': 'whether a prompt may bring something, before a vault is opened for it',
  'checkout/look-at-mention.ts': 'whether the repository has what a memory mentions',
  'checkout/settled-anchors.ts': 'which lost anchors a person has seen',
  'checkout/checkout.ts': 'looks at anchors in the repository that a session works in',
  'places/base-folders.ts': 'where a person’s folders are, before there is a vault',
  'places/client-process.ts': 'which client started this process',
  'places/git-remotes.ts': 'whether the store’s repository has a remote, without starting git',
  'places/owner.ts': 'who uses this account, for surety init',
  'places/own-folders.ts': 'which folders are ours, for the guard of tool calls',
  'places/places.ts': 'where a store lies, before there is a vault',
  'places/project.ts': 'which project a folder belongs to',
  'places/refuse-root.ts': 'refuses a root before a vault is opened there',
  'places/settings.ts': 'what the settings mean, and which are looser than the defaults',
  'places/system-programs.ts': 'whether the shell finds surety, for surety init',
  'places/working-folder.ts': 'where this process was started, before there is a vault',
  'records/audit-log.ts': 'every action writes its line',
  'records/audit-input.ts': 'what a call said, as its line has it',
  'records/known-projects.ts': 'from which folders this machine knows a project',
  'records/given-memories.ts': 'what a client’s session was given without asking',
  'records/typed-text-hashes.ts': 'what came through a client’s prompt, as hashes',
  'records/request-queue.ts': 'what agents asked for while nobody could be asked',
  'exchange/backfill-file.ts': 'a command of the operator',
  'exchange/export-folder.ts': 'a folder outside the store that an export writes',
  'exchange/import-file.ts': 'a command of the operator',
  'exchange/import-source.ts': 'files outside the store that an import reads',
  'maintenance/archive.ts': 'a command of the operator',
  'maintenance/erase.ts': 'a command of the operator',
  'maintenance/finish-promotion.ts': 'a repair of surety doctor',
  'maintenance/folder-health.ts': 'a look of surety doctor at folders, before there is a vault',
  'maintenance/confirm-date.ts': 'a repair of surety doctor',
  'maintenance/keep-vouched-texts.ts': 'copies of what other machines vouched for',
  'maintenance/passkeys.ts': 'enrols, removes and requires passkeys, with a person’s passkey or yes',
  'maintenance/put-back-missing.ts': 'puts files back that are missing, after a person’s yes',
  'maintenance/records-elsewhere.ts': 'where this machine has records of the same store at another place',
  'maintenance/repair-ledger.ts': 'a repair of surety doctor',
  'maintenance/see-again.ts': 'a repair of surety doctor',
  'maintenance/store-id.ts': 'a repair of surety doctor',
  'maintenance/unrecorded-lowerings.ts': 'records quarantines that the ledger had no room for',
  'git/git.ts': 'the error that git’s failures come as',
  'git/history.ts': 'a repository around the store, which an erasure does not reach',
  'git/texts-in-git.ts': 'texts of missing memories in the store’s repository',
  'git/remote.ts': 'what counts as a folder among addresses',
  'git/repository.ts': 'opens the store’s repository for a sync',
  'git/damage.ts': 'a look of surety doctor at the store’s repository',
  'sync/local-files.ts': 'the words for why a file stays on this machine',
  'sync/notices.ts': 'what the operator has not seen of syncs',
  'sync/put-in-place.ts': 'puts a displaced text back, with a person’s yes',
  'sync/remake-repository.ts': 'a repair of surety doctor',
  'sync/sync-run.ts': 'the steps of a sync',
  'sync/sync-lock.ts': 'one sync at a time',
  'format/format.ts': 'the bytes of a memory file and what they say; touches no disk',
  'disk/disk.ts': 'for files of no store: one that a person names, or a place before a store is there',
  'disk/disk-errors.ts': 'the words for what a disk says',
  'disk/foreign-file.ts': 'files of other programs',
  'disk/joined-modules.ts': 'the scripts of the pages, where there is no bundle that holds them',
  'disk/random.ts': 'chance',
  'disk/standard-streams.ts': 'the input and the answer of a hook',
  'disk/load-ticket-taking.ts': 'what waits for calls or for a person loads it before the first lock is taken',
  'programs/browser.ts': 'the person’s browser',
  'programs/client-files.ts': 'where other programs keep their settings',
  'programs/client-version.ts': 'which version of another program is installed',
  'programs/demo-home.ts': 'a home that is thrown away',
  'programs/editor.ts': 'the person’s editor',
  'programs/init-record.ts': 'what surety init has set up with other programs',
  'programs/own-node.ts': 'the Node that a checkout brings along',
};

/** Ways past the vault's methods. */
const AROUND_THE_DOOR = /\bvault\??\.(?:parts|shelf|files|inside)\b|\bgetOwnPropertySymbols\b|\bReflect\.ownKeys\b/;

/** Node's modules that only some rooms may use; `test` tells by the file's path. */
const NODE_RULES: readonly { modules: RegExp; may: RegExp; why: string }[] = [
  { modules: /^(fs|child_process|sqlite)(\/|$)/, may: /^src\/store\//, why: 'only store touches the disk' },
  { modules: /^https?$/, may: /^src\/page\//, why: 'only the page opens a port' },
  { modules: /^(net|tls|dgram|dns|http2|inspector|cluster)(\/|$)/, may: /^$/, why: 'nothing speaks to a network' },
  { modules: /^module$/, may: /^src\/main\.ts$/, why: 'code is loaded by import alone' },
  { modules: /^vm$/, may: /^$/, why: 'code is loaded by import alone' },
];

/** Where a module of Node's is loaded at its first use, without waiting: it takes long to load and most processes need none of it. */
const LOADS_WHEN_NEEDED: Readonly<Record<string, string>> = {
  'src/main.ts': "process.getBuiltinModule('node:module')",
  'src/store/disk/random.ts': "process.getBuiltinModule('node:crypto')",
  'src/store/places/program-output.ts': "process.getBuiltinModule('node:child_process')",
};

/** What runs in the browser. It is sent as text and has nothing of Node, so neither side imports the other. */
const BROWSER = 'src/page/browser/';
/** The imports and exports that `src/store/disk/joined-modules.ts` takes away when it joins modules. */
const JOINED = /^import \{\s*\w+(?:,\s*\w+)*,?\s*\} from '\.[^']+';$|^export (?=const|let|function|async function)/gm;

/** Libraries that core may import, each in one file: as pure as core, with no file, clock or network. */
const PURE_LIBRARIES: Readonly<Record<string, string>> = {
  'get-east-asian-width': 'src/core/text/display-width.ts',
  'jsonc-parser': 'src/core/clients/json-edit.ts',
};

/** Core is told the time and is handed its ids. */
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\.|\brandom(?:Bytes|UUID|Int)\b/;

interface Import {
  readonly from: string;
  /** Imported or re-exported names; '*' when all of them may be meant. */
  readonly names: readonly string[];
}

/** Line by line: taking out everything between two marks would let a string that holds one hide the code after it. */
function withoutComments(source: string): string {
  return source.replace(/^\s*(?:\/\/.*|(?:\/\*|\*)(?:(?!\*\/).)*(?:\*\/)?\s*)$|\s\/\/\s.*$/gm, '');
}

function importsOf(source: string): Import[] {
  const found: Import[] = [];
  for (const [, clause = '', from = ''] of source.matchAll(
    /^[ \t]*(?:import|export)\b([^;'"`=()]*?)\bfrom\s*['"]([^'"]+)['"]/gm,
  )) {
    const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
    const names = braces.split(',').map((name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+.*$/s, ''),
    );
    found.push({ from, names: clause.includes('*') ? ['*'] : names.filter((name) => name !== '') });
  }
  for (const [, from = ''] of source.matchAll(/^[ \t]*import\s*['"]([^'"]+)['"]/gm)) found.push({ from, names: [] });
  for (const [, from = ''] of source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) found.push({ from, names: ['*'] });
  return found;
}

function roomOf(file: string): string {
  const [, first = '', ...rest] = file.split('/');
  return rest.length === 0 ? first.replace(/\.ts$/, '') : first;
}

/** `trust` of src/core/trust/tiers.ts; none for a file directly in its layer. */
function folderOf(file: string): string | undefined {
  const [, , folder, ...rest] = file.split('/');
  return rest.length === 0 ? undefined : folder;
}

function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

function complainAboutOwn(file: string, { from, names }: Import): string[] {
  const target = posix.join(posix.dirname(file), from);
  if (!target.startsWith('src/')) return [`${target} is outside src`];
  const [room, wanted] = [roomOf(file), roomOf(target)];
  const complaints: string[] = [];
  const [height, wantedHeight] = [HEIGHT[room], HEIGHT[wanted]];
  if (height === undefined) complaints.push(`${room} is not a room of this house`);
  else if (wantedHeight === undefined) complaints.push(`${wanted} is not a room of this house`);
  else if (room !== wanted && wantedHeight >= height) complaints.push(`${room} may not import ${wanted}`);
  const [folder, wantedFolder] = [folderOf(file), folderOf(target)];
  if (room === wanted && folder !== undefined && wantedFolder !== undefined) {
    const order = FOLDERS[room] ?? [];
    if (order.indexOf(wantedFolder) > order.indexOf(folder))
      complaints.push(`${room}/${folder} may not import ${room}/${wantedFolder}`);
  }
  const [, inStore] = /^src\/store\/(.+)$/.exec(target) ?? [];
  if (room !== 'store' && inStore !== undefined && !Object.hasOwn(STORE_DOORS, inStore))
    complaints.push(`${inStore} is inside the store; ask the vault`);
  for (const { of, name, may } of GUARDED) {
    const takes = target === of && (names.includes(name) || names.includes('*'));
    if (takes && !may(file)) complaints.push(`may not import ${name}`);
  }
  return complaints;
}

function complainAboutNode(file: string, { from, names }: Import): string[] {
  const module = from.replace(/^node:/, '');
  const complaints = NODE_RULES.filter(({ modules, may }) => modules.test(module) && !may.test(file)).map(
    ({ why }) => `may not import ${from}: ${why}`,
  );
  if (roomOf(file) === 'core' && module !== 'crypto') complaints.push(`core may not import ${from}`);
  if (roomOf(file) === 'core' && names.includes('*')) complaints.push(`core must name what it takes from ${from}`);
  return complaints;
}

function complainAboutPackage(file: string, { from, names }: Import): string[] {
  const [name, room] = [packageOf(from), roomOf(file)];
  if (room === 'core') return PURE_LIBRARIES[name] === file ? [] : [`core may not import ${name}`];
  if (name === '@modelcontextprotocol/server' && ![...MCP_DOORS, 'stdio-connection', 'server'].includes(room)) {
    return [`${room} may not import ${name}`];
  }
  if (name === 'zod' && !MCP_DOORS.includes(room)) return [`${room} may not import zod`];
  // `import { z }` keeps every locale in the bundle: half a megabyte that each start would load.
  if (name === 'zod' && !names.includes('*')) return ['zod is imported as a namespace'];
  return [];
}

function isNode(from: string): boolean {
  return from.startsWith('node:') || builtinModules.includes(from);
}

/** What is wrong with this file, in words. */
function complaintsAbout(file: string, source: string): string[] {
  const code = withoutComments(source);
  const complaints = importsOf(code).flatMap((each) => {
    const isInBrowser = each.from.startsWith('.') && posix.join(posix.dirname(file), each.from).startsWith(BROWSER);
    if (isInBrowser !== file.startsWith(BROWSER)) return [`${each.from} is on the other side of the browser`];
    if (each.from.startsWith('.')) return complainAboutOwn(file, each);
    return isNode(each.from) ? complainAboutNode(file, each) : complainAboutPackage(file, each);
  });
  if (/\bimport\(\s*[^'"\s]/.test(code)) complaints.push('imports something that only shows at run time');
  const allowed = LOADS_WHEN_NEEDED[file];
  if (/(?<![.\w])require\(|\bcreateRequire\b|\bgetBuiltinModule\b/.test(allowed ? code.replace(allowed, '') : code))
    complaints.push('loads code past import');
  if (file.startsWith(BROWSER) && /^(?:import|export)\b/m.test(code.replaceAll(JOINED, '')))
    complaints.push('imports or exports what joining modules does not take away');
  if (roomOf(file) !== 'store' && AROUND_THE_DOOR.test(code)) complaints.push('reaches around the vault’s door');
  if (roomOf(file) === 'core' && IMPURE.test(code)) complaints.push('core reads a clock, chance or the process');
  return complaints;
}

/** Libraries that more than one file imports, apart from those the MCP doors share. */
function sharedLibraries(files: readonly (readonly [file: string, source: string])[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const [file, source] of files) {
    for (const { from } of importsOf(withoutComments(source))) {
      const name = packageOf(from);
      if (from.startsWith('.') || isNode(from) || name === 'zod' || name === '@modelcontextprotocol/server') continue;
      importers.set(name, (importers.get(name) ?? new Set()).add(file));
    }
  }
  return [...importers].filter(([, by]) => by.size > 1).map(([name, by]) => `${name}: ${[...by].join(', ')}`);
}

/** Types, exported or not: one name has one meaning in the whole source. */
const TYPE = /^(?:export )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
/** Exported functions and values. Tools, commands and actions share the domain's verbs; below them each name is for one thing. */
const EXPORTED = /^export (?:async )?(?:function\*?|const) (\w+)/gm;

/** Names that two files declare. */
function sharedNames(files: readonly (readonly [file: string, source: string])[], declaration: RegExp): string[] {
  const declared = new Map<string, Set<string>>();
  for (const [file, source] of files) {
    for (const [, name = ''] of source.matchAll(declaration))
      declared.set(name, (declared.get(name) ?? new Set()).add(file));
  }
  return [...declared].filter(([, by]) => by.size > 1).map(([name, by]) => `${name}: ${[...by].join(', ')}`);
}

const FILES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.[jt]s$/.test(name))
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .sort()
  .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const);

test('every import goes down the house, never sideways or up', () => {
  const complaints = FILES.flatMap(([file, source]) => complaintsAbout(file, source).map((each) => `${file}: ${each}`));
  expect(complaints).toEqual([]);
  expect(FILES.length).toBeGreaterThan(3);
});

test('what a yes covers is said in one file', () => {
  const makers = FILES.filter(([, source]) => /\bsettles\s*:/.test(withoutComments(source))).map(([file]) => file);
  expect(makers).toEqual(['src/actions/review/shown.ts', 'src/core/trust/consent.ts']);
});

test('one file asks for the working folder, which can be gone', () => {
  const asking = FILES.filter(([, source]) => withoutComments(source).includes('process.cwd()')).map(([file]) => file);
  expect(asking).toEqual(['src/store/places/working-folder.ts']);
});

test('nothing outside the store may import what nobody there needs', () => {
  const outside = FILES.filter(([file]) => roomOf(file) !== 'store').flatMap(([file, source]) =>
    importsOf(withoutComments(source)).map(({ from }) => posix.join(posix.dirname(file), from)),
  );
  const taken = new Set(outside);
  expect(Object.keys(STORE_DOORS).filter((door) => !taken.has(`src/store/${door}`))).toEqual([]);
});

test('each library has exactly one importing file', () => {
  expect(sharedLibraries(FILES)).toEqual([]);
});

test('each type name is declared in one file', () => {
  expect(sharedNames(FILES, TYPE)).toEqual([]);
});

test('each exported function and value of core and store has a name of its own', () => {
  const below = FILES.filter(([file]) => /^src\/(?:core|store)\//.test(file));
  expect(sharedNames(below, EXPORTED)).toEqual([]);
});

test(`no source file is longer than ${MOST_LINES} lines`, () => {
  const lengths = FILES.map(([file, source]) => [file, source.trimEnd().split('\n').length] as const);
  expect(lengths.filter(([, lines]) => lines > MOST_LINES).map(([file, lines]) => `${file}: ${lines} lines`)).toEqual(
    [],
  );
});

test(`no folder holds more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const [file] of FILES) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  const full = [...counts].filter(([folder, count]) => count > MOST_FILES && !UNBOUNDED.includes(folder));
  expect(full).toEqual([]);
});

test('every folder says what lives there, what does not, and what it may import', () => {
  const folders = new Set(FILES.map(([file]) => posix.dirname(file)).filter((folder) => folder !== 'src'));
  for (const folder of folders) {
    const lines = readFileSync(join(ROOT, folder, 'README.md'), 'utf8').split('\n');
    expect(lines[0], folder).toBe(`# ${folder}`);
    for (const start of ['- Lives here: ', '- Does not: ', '- May import: '])
      expect(
        lines.some((line) => line.startsWith(start) && line.length > start.length),
        `${folder}: ${start}`,
      ).toBe(true);
  }
  expect(folders.size).toBeGreaterThan(30);
});

test('what a folder of a layer imports is in the line of its README', () => {
  const missing = FILES.flatMap(([file, source]) => {
    const [room, folder] = [roomOf(file), folderOf(file)];
    const order = FOLDERS[room] ?? [];
    if (folder === undefined || order.length === 0) return [];
    const readme = readFileSync(join(ROOT, posix.dirname(file), 'README.md'), 'utf8');
    const [, may = ''] = /^- May import: (.*)$/m.exec(readme) ?? [];
    const [, below = folder] = /`(?:[a-z]+\/)?([a-z]+)` and below/.exec(may) ?? [];
    const isBefore = (wanted: string) => order.indexOf(wanted) <= order.indexOf(below);
    const isAll = /before it|below it|the rest of/.test(may);
    const isNamed = (wanted: string) =>
      isAll || (below !== folder && isBefore(wanted)) || may.includes(`\`${wanted}\``) || may.includes(`/${wanted}\``);
    const targets = importsOf(withoutComments(source))
      .filter(({ from }) => from.startsWith('.'))
      .map(({ from }) => posix.join(posix.dirname(file), from))
      .filter((target) => roomOf(target) === room);
    const wanted = targets.flatMap((target) => folderOf(target) ?? []).filter((each) => each !== folder);
    return wanted.filter((each) => !isNamed(each)).map((each) => `${room}/${folder}: ${each}`);
  });
  expect([...new Set(missing)]).toEqual([]);
});

test('every folder of a layer has its place in the order', () => {
  const folders = FILES.flatMap(([file]) => {
    const folder = folderOf(file);
    return folder === undefined || FOLDERS[roomOf(file)] === undefined ? [] : [`${roomOf(file)}/${folder}`];
  });
  const known = Object.entries(FOLDERS).flatMap(([room, each]) => each.map((folder) => `${room}/${folder}`));
  expect([...new Set(folders)].sort()).toEqual(known.sort());
});

test('every library that src imports is a production dependency', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const imported = FILES.flatMap(([, source]) => importsOf(withoutComments(source)).map(({ from }) => from))
    .filter((from) => !from.startsWith('.') && !isNode(from))
    .map(packageOf);
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...new Set(imported)]));
});

test.each([
  ['src/core/trust/tiers.ts', `import { swap } from '../../store/files.ts';`, 'core may not import store'],
  [
    'src/core/secrets/detect.ts',
    `import type { Vault } from '../../store/vault/vault.ts';`,
    'core may not import store',
  ],
  ['src/core/trust/tiers.ts', `import { VERSION } from '../../version.ts';`, 'core may not import version'],
  [
    'src/store/vault/vault.ts',
    `export { propose } from '../../actions/agent/propose.ts';`,
    'store may not import actions',
  ],
  ['src/actions/agent/propose.ts', `import { z } from '../../tools/define.ts';`, 'actions may not import tools'],
  [
    'src/actions/agent/search.ts',
    `import { insideOf } from '../../store/vault/inside-of-vault.ts';`,
    'vault/inside-of-vault.ts is inside the store; ask the vault',
  ],
  [
    'src/cli/run.ts',
    `import type { Loaded } from '../store/vault/loaded-memory.ts';`,
    'vault/loaded-memory.ts is inside the store; ask the vault',
  ],
  [
    'src/page/serve.ts',
    `const { Ledgers } = await import('../store/ledger/ledgers.ts');`,
    'ledger/ledgers.ts is inside the store; ask the vault',
  ],
  ['src/actions/agent/search.ts', `session.vault.parts.disk.remove(path);`, 'reaches around the vault’s door'],
  ['src/actions/agent/search.ts', `Object.getOwnPropertySymbols(vault);`, 'reaches around the vault’s door'],
  ['src/tools/search.ts', `import { print } from '../cli/terminal/print.ts';`, 'tools may not import cli'],
  ['src/cli/run.ts', `const { serve } = await import('../page/serve.ts');`, 'cli may not import page'],
  ['src/tools/search.ts', `import '../server.ts';`, 'tools may not import server'],
  ['src/page/browser/review.js', `import { join } from 'node:path';`, 'node:path is on the other side of the browser'],
  ['src/page/browser/review.js', `import { html } from '../markup.ts';`, '../markup.ts is on the other side of the'],
  [
    'src/page/routes.ts',
    `import { signed } from './browser/passkey.js';`,
    'passkey.js is on the other side of the browser',
  ],
  ['src/page/browser/review.js', `import { find as f } from './elements.js';`, 'joining modules does not take away'],
  ['src/page/browser/review.js', `import * as all from './elements.js';`, 'joining modules does not take away'],
  ['src/page/browser/elements.js', `const a = 1;\nexport { a };`, 'joining modules does not take away'],
  ['src/server.ts', `import { run } from './main.ts';`, 'server may not import main'],
  [
    'src/core/trust/tiers.ts',
    `import type { Check } from '../checks/inspect.ts';`,
    'core/trust may not import core/checks',
  ],
  ['src/store/disk/disk.ts', `import { Vault } from '../vault/vault.ts';`, 'store/disk may not import store/vault'],
  ['src/utils/strings.ts', `import { judge } from '../core/trust/tiers.ts';`, 'utils is not a room of this house'],
  ['src/server.ts', `import { home } from '../testkit/clients.ts';`, 'testkit/clients.ts is outside src'],
  ['src/core/memory/ids.ts', `import { readFileSync } from 'node:fs';`, 'core may not import node:fs'],
  ['src/core/memory/ids.ts', `import { join } from 'path';`, 'core may not import path'],
  ['src/core/memory/ids.ts', `import * as crypto from 'node:crypto';`, 'core must name what it takes from node:crypto'],
  ['src/core/memory/ids.ts', `import { randomUUID } from 'node:crypto';`, 'core reads a clock, chance or the process'],
  ['src/core/trust/clocks.ts', `export const today = () => new Date();`, 'core reads a clock, chance or the process'],
  ['src/core/memory/memory.ts', `import * as z from 'zod';`, 'core may not import zod'],
  ['src/core/memory/memory.ts', `import yaml from "js-yaml";`, 'core may not import js-yaml'],
  [
    'src/core/text/sanitize.ts',
    `import { eastAsianWidth } from 'get-east-asian-width';`,
    'core may not import get-east-asian-width',
  ],
  ['src/core/text/display-width.ts', `import stringWidth from 'string-width';`, 'core may not import string-width'],
  ['src/actions/exchange/import.ts', `import { readFile } from 'node:fs/promises';`, 'only store touches the disk'],
  ['src/cli/run.ts', `import {\n  execFile,\n} from 'node:child_process';`, 'only store touches the disk'],
  ['src/actions/sync/sync.ts', `import { request } from 'node:http';`, 'only the page opens a port'],
  ['src/page/serve.ts', `import { connect } from 'node:net';`, 'nothing speaks to a network'],
  ['src/store/index/search-index.ts', `import { createRequire } from 'node:module';`, 'code is loaded by import alone'],
  ['src/store/index/search-index.ts', `const fs = require('node:fs');`, 'loads code past import'],
  ['src/actions/sync/sync.ts', `process.getBuiltinModule('fs');`, 'loads code past import'],
  [
    'src/store/places/program-output.ts',
    `process.getBuiltinModule('node:child_process');\nprocess.getBuiltinModule('net');`,
    'loads code past import',
  ],
  ['src/actions/sync/sync.ts', `await import(name);`, 'imports something that only shows at run time'],
  ['src/actions/sync/sync.ts', 'await import(`../page/serve.ts`);', 'imports something that only shows at run time'],
  [
    'src/cli/run.ts',
    `import { McpServer } from '@modelcontextprotocol/server';`,
    'cli may not import @modelcontextprotocol',
  ],
  ['src/store/places/settings.ts', `import * as z from 'zod';`, 'store may not import zod'],
  ['src/tools/search.ts', `import { z } from 'zod';`, 'zod is imported as a namespace'],
  [
    'src/tools/promote.ts',
    `const all = 'src/**';\nimport { reveal } from '../core/text/safe-text.ts'; /* */`,
    'may not import reveal',
  ],
  ['src/cli/run.ts', `/* quietly */ await import('../page/serve.ts');`, 'cli may not import page'],
  ['src/tools/promote.ts', `import { witnessed } from '../core/trust/consent.ts';`, 'may not import witnessed'],
  [
    'src/tools/promote.ts',
    `import { type Shown, witnessed as w } from '../core/trust/consent.ts';`,
    'may not import witnessed',
  ],
  ['src/actions/decide.ts', `import * as consent from '../core/trust/consent.ts';`, 'may not import witnessed'],
  ['src/actions/decide.ts', `const c = await import('../core/trust/consent.ts');`, 'may not import witnessed'],
  ['src/core/trust/tiers.ts', `export * from './consent.ts';`, 'may not import witnessed'],
  ['src/core/trust/tiers.ts', `export {\n  witnessed,\n} from './consent.ts';`, 'may not import witnessed'],
  ['src/tools/search.ts', `import { reveal } from '../core/text/safe-text.ts';`, 'may not import reveal'],
  [
    'src/actions/agent/search.ts',
    `import { reveal as show } from '../../core/text/safe-text.ts';`,
    'may not import reveal',
  ],
])('rejected: %s with %j', (file, source, complaint) => {
  expect(complaintsAbout(file, source).join('; ')).toContain(complaint);
});

test.each([
  ['src/core/memory/ids.ts', `import { createHash } from 'node:crypto';`],
  ['src/core/clients/json-edit.ts', `import { parseTree } from 'jsonc-parser';`],
  ['src/core/secrets/detect.ts', `import { fold } from '../text/normalize.ts';`],
  ['src/core/text/display-width.ts', `import { eastAsianWidth } from 'get-east-asian-width';`],
  [
    'src/core/trust/clocks.ts',
    `/** Never Date.now(): import nothing from '../../store/vault/vault.ts'. */\n// process.env is not read`,
  ],
  [
    'src/store/vault/vault.ts',
    `import { reveal } from '../../core/text/safe-text.ts';\nimport { open } from 'node:fs/promises';`,
  ],
  [
    'src/actions/agent/search.ts',
    `import { load } from '../../store/vault/vault.ts';\nimport { rank } from '../../core/search/rank.ts';`,
  ],
  ['src/tools/search.ts', `import * as z from 'zod';\nimport { search } from '../actions/agent/search.ts';`],
  ['src/tools/dialog-channel.ts', `import { witnessed } from '../core/trust/consent.ts';`],
  ['src/tools/promote.ts', `import type { UserConsent } from '../core/trust/consent.ts';`],
  ['src/page/serve.ts', `import { createServer } from 'node:http';`],
  ['src/server.ts', `import { search } from './tools/search.ts';\nimport { VERSION } from './version.ts';`],
  ['src/main.ts', `const { serve } = await import('./server.ts');`],
  ['src/page/browser/review.js', `import { find,\n  targetOf } from './elements.js';\nexport const found = find('a');`],
])('allowed: %s with %j', (file, source) => {
  expect(complaintsAbout(file, source)).toEqual([]);
});

test('a library with two importing files is named with both', () => {
  const line = `import matter from 'gray-matter';`;
  expect(sharedLibraries([['src/store/format/format.ts', line]])).toEqual([]);
  expect(
    sharedLibraries([
      ['src/store/format/format.ts', line],
      ['src/actions/exchange/import.ts', line],
    ]),
  ).toEqual(['gray-matter: src/store/format/format.ts, src/actions/exchange/import.ts']);
});

test('a type name that two files declare is named with both', () => {
  expect(
    sharedNames(
      [
        ['src/core/a.ts', 'export interface Entry {}\ntype Other = 1;'],
        ['src/store/b.ts', 'class Entry {}'],
      ],
      TYPE,
    ),
  ).toEqual(['Entry: src/core/a.ts, src/store/b.ts']);
});
