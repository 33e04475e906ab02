// Fills the generated blocks of docs/*.md from the code: node scripts/docs.ts. A test fails while one is out of date.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onScreen, shownFor } from '../src/actions/review/shown.ts';
import { COMMANDS } from '../src/cli/registry.ts';
import { overview } from '../src/cli/run.ts';
import { CHECKS } from '../src/core/checks/all.ts';
import { structure } from '../src/core/checks/structure.ts';
import { CLIENTS } from '../src/core/clients/clients.ts';
import { hashOf } from '../src/core/ledger/entry.ts';
import { type LedgerTrouble, TROUBLES } from '../src/core/ledger/replay.ts';
import { REASONS, type Standing, standingKey } from '../src/core/ledger/standing.ts';
import { type Fault, LIMITS_OF_A_FILE } from '../src/core/memory/document.ts';
import { issueId } from '../src/core/memory/ids.ts';
import { subjectOf } from '../src/core/memory/inspected-file.ts';
import { LIMITS } from '../src/core/memory/limits.ts';
import { DAY_MS } from '../src/core/trust/clocks.ts';
import { CHANNELS, type Channel, witnessed } from '../src/core/trust/consent.ts';
import { NEEDS, TRANSITIONS, type Transition } from '../src/core/trust/tiers.ts';
import { openVault } from '../src/store/open-vault.ts';
import { resolvePlaces } from '../src/store/places/places.ts';
import { DEFAULTS, looserThanDefaults, NUMBERS, type Settings } from '../src/store/places/settings.ts';
import { STORE_FILE, storeFileOf } from '../src/store/places/store-file.ts';
import type { Decision } from '../src/store/vault/vault.ts';
import { DEVIATIONS, TRUST_MODEL } from '../src/version.ts';
import { passkeyRows } from './passkey-table.ts';

export const DOCS = join(import.meta.dirname, '..', 'docs');

/** The store the documents show: everything in it is given, so its files and hashes are the same on every run. */
interface Example {
  readonly fingerprint: string;
  readonly files: { readonly proposed: string; readonly promoted: string; readonly demoted: string };
  readonly ledger: string;
  /** What happened, and the standing it left. */
  readonly life: readonly (readonly [what: string, standing: string])[];
}

/** Secret key and public key of the first test of RFC 8032, section 7.1: published, and so nobody's. */
const PUBLISHED_KEY = {
  v: 1,
  machine: 'laptop',
  identity: 'docs',
  publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  privateKey: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
};

const EXAMPLE_STORE = '00112233445566778899aabbccddeeff';

/** One memory, proposed, promoted after a week and demoted after a month, by the program itself in a temporary home. */
export async function example(): Promise<Example> {
  const home = mkdtempSync(join(tmpdir(), 'surety-docs-'));
  try {
    const places = resolvePlaces({ env: {}, home, account: home, platform: 'linux' });
    for (const folder of [places.root, places.config]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(places.root, STORE_FILE), storeFileOf(EXAMPLE_STORE));
    writeFileSync(join(places.config, 'key.json'), JSON.stringify(PUBLISHED_KEY));
    let now = Date.parse('2026-03-01T09:30:00Z');
    const vault = await openVault(places, {
      machine: { name: 'laptop', identity: 'docs' },
      now: () => now,
      // Any change to a rule would otherwise change every signature on the page.
      rules: 'structure secrets injection hidden-text personal semantics 0123456789abcdef',
    });
    const asked = {
      type: 'user',
      name: 'Package manager',
      description: 'Which package manager to use: pnpm',
      tags: ['tooling', 'node.js'],
      body: 'Use pnpm in every project.\nnpm only where a package-lock.json exists.',
    } as const;
    const { loaded } = await vault.create('propose', asked, { actor: 'agent', client: 'example-client 1.0' });
    const load = () => {
      const seen = vault.load(loaded.id);
      if (seen === undefined) throw new Error('the example is gone');
      return seen;
    };
    const life: [string, string][] = [];
    const happened = (what: string) => life.push([what, standingKey(load().standing)]);
    const decide = async (verb: Decision, after: number, reason?: string) => {
      now += after * DAY_MS;
      const seen = load();
      const consent = witnessed('page', shownFor(verb, onScreen(seen, { vouching: true })));
      const decided = await vault.decide(verb, seen, consent, reason);
      return decided.loaded.bytes.toString('utf8');
    };
    const path = join(places.memories, `${loaded.id}.md`);
    const proposed = loaded.bytes.toString('utf8');
    happened('1 March: an agent proposes it');
    writeFileSync(path, proposed.replace('trust-level: inferred', 'trust-level: verified'));
    happened('an agent types `verified` into the file');
    writeFileSync(path, proposed);
    const promoted = await decide('promote', 7);
    happened('8 March: a person promotes it');
    writeFileSync(path, promoted.replace('pnpm in', 'yarn in'));
    happened('somebody edits the text');
    writeFileSync(path, promoted);
    happened('and puts it back');
    const demoted = await decide('demote', 30, 'uses bun now');
    happened('7 April: a person demotes it');
    renameSync(join(places.quarantine, `${loaded.id}.md`), path);
    writeFileSync(path, promoted);
    happened('an agent moves the file back and writes `verified` into it');
    vault.close();
    const { fingerprint } = vault.self;
    const ledger = readFileSync(join(places.ledger, `${fingerprint}.jsonl`), 'utf8');
    return { fingerprint, files: { proposed, promoted, demoted }, ledger, life };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What to do about each trouble. TROUBLES says what it is. */
const REMEDIES: Record<LedgerTrouble, string> = {
  missing: 'Have `surety doctor` put the kept copy back, or the file from a backup.',
  shorter: 'Have the kept copy put back, or pull again: the rest may be on another machine.',
  forked: 'Have the kept copy put back, or the file from a backup.',
  broken: 'Have the kept copy put back, or the file from a backup.',
  newer: 'Update Surety on this machine. If it is the newest, put the file back from a backup or the git history.',
  'bad-signature': 'Have the kept copy put back; the writer of the last line does not have the key.',
  'wrong-key': 'Put the file back under its own name, or remove it: it is not that machine’s ledger.',
  unreadable: 'Put an ordinary file in its place, readable by you.',
  'too-large':
    'Have the kept copy put back, or move the file out of `ledger/`: no machine of yours has written so much.',
  unremembered: 'Restore the state folder, or accept the ledger as it is in `surety doctor`.',
  'other-store':
    'If it is another store, put its files back where they belong. If both are one store, accept the ledger in `surety doctor`.',
  ahead:
    'After this machine or its state folder was restored from an older backup: accept the ledger as it is in `surety doctor`, which shows the entries that are not remembered. Otherwise have the kept copy put back.',
};

/** What in a file leads to each fault. The check's own message says the rest. */
const CAUSES: Record<Fault, string> = {
  'not-utf8': 'any byte that is not valid UTF-8',
  'too-large': `more than ${kib(LIMITS_OF_A_FILE.bytes)}`,
  nul: 'U+0000, also written as an escape in a quoted text',
  'opening-missing': 'first line not exactly `---`: `---js`, `--- `, four dashes, a blank line before it',
  'closing-missing': 'no line of `---` (blanks may follow) after the first',
  'frontmatter-too-large': `more than ${kib(LIMITS_OF_A_FILE.frontmatterBytes)} or ${LIMITS_OF_A_FILE.frontmatterLines} lines`,
  'yaml-invalid': 'broken YAML; directives; a second document; `...`; `---x` or a lone CR inside',
  'yaml-tag': '`!!str`, `!!js/function`, `!x`, `!`',
  'yaml-anchor': '`&a`, `*a`',
  'yaml-duplicate-key': 'a key twice, however it is quoted',
  'yaml-forbidden-key':
    '`__proto__` and every other name of Object.prototype, `prototype`, `<<`, an empty or padded key, a look-alike of a known key (`Trust-Level`)',
  'yaml-not-flat':
    'a mapping as a value, a list in a list but for `anchors`, a flow mapping, an indented block, `? key`',
};

function kib(bytes: number): string {
  return `${bytes / 1024} KiB`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function transitions(): string {
  const code = (keys: readonly string[]) => keys.map((key) => `\`${key}\``).join(', ');
  const rows = (TRANSITIONS as readonly Transition[]).map((row) => [
    `\`${row.verb}\``,
    `${row.from ?? '∅'} → ${row.to}${row.retired ? ' (read, not written any more)' : ''}`,
    row.who,
    row.needs.map((need) => NEEDS[need]).join(', '),
    [row.sets.length > 0 ? code(row.sets) : 'nothing', ...(row.removes ? [`removes ${code(row.removes)}`] : [])].join(
      '; ',
    ),
    row.moves ?? '–',
  ]);
  return table(['verb', 'from → to', 'who', 'needs', 'sets', 'file moves'], rows);
}

function reasons(): string {
  // Every reason belongs to one tier; a new one does not compile until it says which.
  const tiers: Record<Standing['reason'], Standing['tier']> = {
    vouched: 'verified',
    changed: 'inferred',
    unfinished: 'inferred',
    proposed: 'inferred',
    found: 'inferred',
    unproven: 'inferred',
    disputed: 'inferred',
    decided: 'quarantined',
    'same-text': 'quarantined',
    folder: 'quarantined',
    claim: 'quarantined',
  };
  const rows = Object.entries(REASONS).map(([reason, meaning]) => [
    `\`${tiers[reason as Standing['reason']]}:${reason}\``,
    meaning,
  ]);
  return table(['standing', 'meaning'], rows);
}

function limits(): string {
  const { name, description, tags, project, anchors, askedAs, body, reason } = LIMITS;
  return table(
    ['what', 'least', 'most'],
    [
      ['`name`', `${name.min}`, `${name.max}`],
      ['`description`', `${description.min}`, `${description.max}`],
      ['`tags`: how many', '0', `${tags.count}`],
      ['`tags`: each', `${tags.min}`, `${tags.max}`],
      ['`project`', `${project.min}`, `${project.max}`],
      ['`anchors`: how many', '0', `${anchors.count}`],
      ['`anchors`: path, text', '1', `${anchors.path}, ${anchors.text}`],
      ['`asked-as`: how many', '0', `${askedAs.count}`],
      ['`asked-as`: each', `${askedAs.min}`, `${askedAs.max}`],
      ['body, trimmed', `${body.min}`, `${body.max}`],
      ['`quarantine-reason`, as the server writes it', '–', `${reason.max}, cut`],
      ['the file', '–', kib(LIMITS_OF_A_FILE.bytes)],
      ['the frontmatter', '–', `${kib(LIMITS_OF_A_FILE.frontmatterBytes)}, ${LIMITS_OF_A_FILE.frontmatterLines} lines`],
    ],
  );
}

function faults(): string {
  const message = (fault: Fault) => {
    const [finding] = structure.run(subjectOf('user_x', { kind: 'unreadable', fault, line: 1 }, 'found'));
    return finding?.message ?? '';
  };
  const rows = Object.entries(CAUSES).map(([fault, cause]) => [`\`${fault}\``, cause, message(fault as Fault)]);
  return table(['fault', 'caused by', 'what the finding says'], rows);
}

/** The only files that may make a yes (tests/layers.test.ts). */
const WITNESSES: Record<Channel, string> = {
  terminal: 'src/cli/ask/witness.ts',
  dialog: 'src/tools/dialog-channel.ts',
  page: 'src/page/witness.ts',
};

function channels(): string {
  const rows = Object.entries(CHANNELS).map(([channel, level]) => [
    channel,
    `${level}`,
    `\`${WITNESSES[channel as Channel]}\``,
  ]);
  return table(['channel', 'level', 'witness'], rows);
}

function passkeyTable(): string {
  return table(['ledger', 'the yes', 'no passkey required', 'passkey required'], passkeyRows());
}

function unchecked(): string {
  const has = (word: string) => CHECKS.some((check) => check.name.includes(word));
  const gaps = [...(has('secret') ? [] : ['secrets']), ...(has('injection') ? [] : ['injection-shaped text'])];
  const inForce = `  Checks in force: ${CHECKS.map((check) => check.name).join(', ')}.`;
  if (gaps.length === 0) return `${inForce} What they do not know the shape of passes.`;
  return `${inForce} There is none yet for ${gaps.join(' and ')}: do not let an agent propose what must stay secret.`;
}

function ids(): string {
  const taken = new Set<string>();
  const rows = ['Package manager', 'Package manager', 'Straße nach Łódź', 'Привет, мир', '記憶'].map((name) => {
    const id = issueId('user', name, (known) => taken.has(known));
    taken.add(id);
    return [name, `\`${id}\``];
  });
  return table(['name', 'id, each issued after the one above'], rows);
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function deviations(): string {
  return DEVIATIONS.map((deviation, index) => `${index + 1}. ${deviation}`).join('\n');
}

function entryOf(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>;
}

/** One key a line, values on it: as long as a screen, unlike the line itself. */
function spread(line: string): string {
  const lines = Object.entries(entryOf(line)).map(([key, value]) => `  "${key}": ${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

/** Every command's own help, as it is printed. */
async function commands(): Promise<string> {
  const helps = Object.entries(COMMANDS).map(async ([name, { load }]) => {
    const { help } = await load();
    return `## surety ${name}\n\n${fenced('text', help)}`;
  });
  return [fenced('text', overview()), ...(await Promise.all(helps))].join('\n\n');
}

/** As the documents name it: everybody has it elsewhere. */
const START = { command: 'node', args: ['/absolute/path/to/surety/dist/main.js'] } as const;

/** The lines for each client, as surety init prints them. */
function clients(): Record<string, string> {
  const byHand = CLIENTS.map((client) => {
    const { lines } = client.byHand(START);
    return [
      `client-${client.name.toLowerCase().replaceAll(' ', '-')}`,
      typeof lines === 'string' ? fenced('sh', lines) : fenced('json', JSON.stringify(lines, null, 2)),
    ];
  });
  const hooks = CLIENTS[0]?.setup?.files.find(({ holds }) => holds === 'hooks');
  const text = hooks?.format.withEntries(hooks.format.empty, hooks.entries(START, 'linux')) ?? '';
  return { 'client-hooks': fenced('json', text.trimEnd()), ...Object.fromEntries(byHand) };
}

/** What each setting does. A new one does not compile until it is in here. */
const SETTINGS: Record<keyof Settings, string> = {
  observationDays: 'days before a proposal can be promoted',
  staleDays: 'days after which a verified memory is flagged as stale',
  proposalsPerSession: 'proposals that one session may store',
  contextCharacters: 'characters of memories that a session begins with',
  contextMemories: 'memories that a session begins with',
  owner: 'your e-mail addresses (`emails`), `githubHandle` and `homeUser`, which the checks tell from other people’s',
  injection: '`hold` keeps text shaped like an instruction out of sessions until a person looked; `warn` only flags it',
  context: '`verified-only` begins a session with verified memories alone; `verified-first` puts the others after them',
  recallPerPrompt:
    '`verified` gives a prompt the verified memories that match it well, at most three, each once a session; `all` also gives what nobody confirmed; `off` gives none',
  minimumAssurance: `least level of a yes that counts: ${Object.entries(CHANNELS)
    .map(([channel, level]) => `${level} ${channel}`)
    .join(', ')}, 4 signed by a passkey`,
};

function settings(): string {
  const because = (looser: Partial<Settings>) =>
    looserThanDefaults({ ...DEFAULTS, ...looser })[0]?.replace(/^.*?: /, '');
  const otherwise: Readonly<Record<string, string>> = {
    injection: `\`warn\`: ${because({ injection: 'warn' })}`,
    recallPerPrompt: `\`all\`: ${because({ recallPerPrompt: 'all' })}`,
  };
  const rows = Object.entries(SETTINGS).map(([key, what]) => {
    const value = DEFAULTS[key as keyof Settings];
    const number = Object.entries(NUMBERS).find(([each]) => each === key)?.[1];
    const looser =
      number?.looser === undefined ? (otherwise[key] ?? '–') : `${number.looser.when}: ${number.looser.because}`;
    return [
      `\`${key}\``,
      what,
      number === undefined ? '' : `${number.least} to ${number.most}`,
      typeof value === 'object' ? 'none' : `\`${value}\``,
      looser,
    ];
  });
  return table(['setting', 'what it says', 'range', 'default', 'protects less when'], rows);
}

/** Links that have a client add the server. By the name on the PATH, because a link cannot know where a clone lies. */
function oneClick(): string {
  const config = { command: 'surety', args: [] };
  const vscode = encodeURIComponent(JSON.stringify({ name: 'surety', ...config }));
  const cursor = encodeURIComponent(Buffer.from(JSON.stringify(config)).toString('base64'));
  return fenced(
    'text',
    [
      `VS Code  vscode:mcp/install?${vscode}`,
      `Cursor   cursor://anysphere.cursor-deeplink/mcp/install?name=surety&config=${cursor}`,
    ].join('\n'),
  );
}

/** Every generated block, by the name its marker gives. */
export async function blocks({ fingerprint, files, ledger, life }: Example): Promise<Readonly<Record<string, string>>> {
  const lines = ledger.trimEnd().split('\n');
  const [, first = '', second = ''] = lines;
  const chain = lines.map((line) => [`${entryOf(line).seq}`, `${entryOf(line).action}`, `\`${hashOf(line)}\``]);
  return {
    life: table(
      ['what happens', 'standing'],
      life.map(([what, standing]) => [what, `\`${standing}\``]),
    ),
    commands: await commands(),
    ...clients(),
    'one-click': oneClick(),
    settings: settings(),
    channels: channels(),
    passkeys: passkeyTable(),
    unchecked: unchecked(),
    transitions: transitions(),
    reasons: reasons(),
    deviations: `Trust model ${TRUST_MODEL}, except:\n\n${deviations()}`,
    limits: limits(),
    faults: faults(),
    ids: ids(),
    'file-proposed': fenced('markdown', files.proposed),
    'file-promoted': fenced('markdown', files.promoted),
    'file-demoted': fenced('markdown', files.demoted),
    'store-file': fenced('json', storeFileOf(EXAMPLE_STORE).trimEnd()),
    'ledger-name': fenced('text', `ledger/${fingerprint}.jsonl`),
    'entry-spread': fenced('json', spread(second)),
    'ledger-lines': fenced('json', lines.join('\n')),
    chain: table(['seq', 'action', 'hash of the line'], chain),
    'verifier-output': fenced('text', `whole: ${lines.length} entries, head ${hashOf(lines.at(-1) ?? '')}`),
    'digest-example': fenced('text', `digest  ${entryOf(first).digest}\nsaying  ${entryOf(first).saying}`),
    troubles: table(
      ['trouble', 'meaning', 'what to do'],
      Object.entries(TROUBLES).map(([trouble, meaning]) => [
        `\`${trouble}\``,
        meaning,
        REMEDIES[trouble as LedgerTrouble],
      ]),
    ),
  };
}

const BLOCK = /(<!-- generated: ([a-z-]+) -->\n)(?:(?!<!-- (?:generated|end))[\s\S])*(<!-- end -->)/g;

/** A document with every block as the code has it now. */
export function filled(markdown: string, made: Readonly<Record<string, string>>): string {
  return markdown.replace(BLOCK, (_, open: string, name: string, close: string) => {
    const block = made[name];
    if (block === undefined) throw new Error(`no generated block is called ${name}`);
    return `${open}\n${block}\n\n${close}`;
  });
}

export function documents(): string[] {
  return readdirSync(DOCS).filter((name) => name.endsWith('.md'));
}

if (import.meta.main) {
  const made = await blocks(await example());
  for (const name of documents()) {
    const path = join(DOCS, name);
    const before = readFileSync(path, 'utf8');
    const after = filled(before, made);
    if (after === before) continue;
    writeFileSync(path, after);
    process.stdout.write(`docs/${name} rewritten\n`);
  }
}
