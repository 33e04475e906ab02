import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openImport, take } from '../../src/actions/exchange/import.ts';
import { auditOf, type Session } from '../../src/actions/session.ts';
import { connectStore } from '../../src/actions/sync/connect-remote.ts';
import { sync } from '../../src/actions/sync/sync.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { openVault } from '../../src/store/open-vault.ts';
import { thisMachine } from '../../src/store/places/host.ts';
import { resolvePlaces } from '../../src/store/places/places.ts';
import { reconcile } from '../../src/store/reconcile/reconcile.ts';
import { add } from '../../testkit/sample.ts';
import { type Start, Wire } from '../../testkit/wire.ts';
import type { Named } from './samples.ts';
import type { Keys, PoisonServer, Reader, Reading } from './server.ts';
import { several } from './several.ts';

/** How a session starts; without names the answers of `git` are its own. */
export function startIn(main: string, home: string, settings: object = {}): Start {
  mkdirSync(join(home, '.config/surety'), { recursive: true });
  const config = { proposalsPerSession: 10_000, ...settings };
  writeFileSync(join(home, '.config/surety/config.json'), JSON.stringify(config));
  return {
    command: process.execPath,
    args: [main],
    cwd: join(home, 'work'),
    env: { HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
  };
}

/** The store of a home, opened in this process, where a person's yes can be given. */
export async function openIn(
  home: string,
  { root, machine = thisMachine() }: { root?: string; machine?: ReturnType<typeof thisMachine> } = {},
): Promise<Session> {
  mkdirSync(home, { recursive: true });
  const places = resolvePlaces({ root, env: {}, home, account: home, platform: process.platform });
  const vault = await openVault(places, { machine });
  const audit = auditOf(places, () => {});
  return { vault, audit, proposals: 0 };
}

function memoryOf({ name, text }: Named) {
  return { name, description: text.replaceAll(/\s+/g, ' ').trim().slice(0, 200) || name, body: text };
}

/** A file as an attacker writes it, who says that it is verified. */
function fileOf(given: Named): string {
  const { name, description, body } = memoryOf(given);
  const keys = {
    name,
    description,
    type: 'user',
    'trust-level': 'verified',
    'created-at': '2025-01-01T00:00:00Z',
    'last-verified': '2026-01-01',
  };
  return `---\n${Object.entries(keys)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')}---\n\n${body}\n`;
}

/** A text that the checks refuse is not stored; everything else is a failure of the benchmark. */
async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** `context` decides what a session is given unasked, and nothing about what is stored. */
const SETTINGS: Readonly<Record<string, object>> = {
  surety: {},
  'surety, context verified-only': { context: 'verified-only' },
};

export function surety(main: string): PoisonServer {
  return {
    name: 'surety',
    views: Object.entries(SETTINGS).map(([name, settings]) => ({
      name,
      reader: (home) => readerOf(startIn(main, home, settings)),
    })),
    labels: true,
    note: 'does not know what is true: a person who confirms a false text makes it count',
    trust: async (home, truths) => {
      const { vault } = await openIn(home);
      const keys: (string | undefined)[] = [];
      for (const each of truths) keys.push(await unlessRefused(() => add(vault, each.name, memoryOf(each))));
      vault.close();
      return keys;
    },
    write: (home, texts) => proposed(startIn(main, home), texts, () => ({})),
    correction: (home, texts, corrected) => proposed(startIn(main, home), texts, (at) => ({ replaces: corrected[at] })),
    file: async (home, texts) => {
      const folder = join(home, '.surety/memories');
      mkdirSync(folder, { recursive: true });
      for (const [at, each] of texts.entries()) writeFileSync(join(folder, `user_put_here_${at}.md`), fileOf(each));
      await reconciled(home);
      return texts.map((_, at) => `user_put_here_${at}`);
    },
    exchange: async (home, texts) => {
      const half = Math.ceil(texts.length / 2);
      return [...(await imported(home, texts.slice(0, half))), ...(await synced(home, texts.slice(half)))];
    },
  };
}

async function readerOf(start: Start): Promise<Reader> {
  const wire = await Wire.open(start);
  return {
    unasked: async () => {
      const answer = await wire.ask('resources/read', { uri: 'memory://context' });
      const { contents = [] } = (answer.kind === 'said' ? answer.result : {}) as { contents?: { text?: string }[] };
      return itemsIn(contents.map(({ text }) => text ?? '').join('\n'));
    },
    ask: async (question) => {
      const result = await wire.mustCall('search_memories', { query: question.slice(0, 400), limit: 5 });
      const { hits = [] } = result.structuredContent as { hits?: { id: string; tier: string }[] };
      return hits.map((hit) => ({ key: hit.id, text: null, marked: hit.tier !== 'verified' }));
    },
    close: () => wire.close(),
  };
}

/** So many proposals are under way on one connection. */
const AT_ONCE = 16;

async function proposed(start: Start, texts: readonly Named[], more: (at: number) => object): Promise<Keys> {
  const wire = await Wire.open(start);
  const keys = await several(AT_ONCE, [...texts.entries()], async ([at, given]) => {
    const answer = await wire.call('propose_memory', { type: 'user', ...memoryOf(given), ...more(at) });
    const { id } = ((answer.kind === 'said' ? answer.result.structuredContent : undefined) ?? {}) as { id?: string };
    return answer.kind === 'said' ? id : undefined;
  });
  await wire.close();
  return keys;
}

async function reconciled(home: string): Promise<void> {
  const { vault } = await openIn(home);
  await reconcile(vault);
  vault.close();
}

/** From a folder of files that say verified; nobody is there to confirm one, so the rest is inferred. */
async function imported(home: string, texts: readonly Named[]): Promise<Keys> {
  const folder = join(home, 'elsewhere');
  mkdirSync(folder);
  for (const [at, each] of texts.entries()) writeFileSync(join(folder, `user_imported_${at}.md`), fileOf(each));
  const session = await openIn(home);
  const keys = new Map<string, string>();
  for (const piece of openImport(session, folder, undefined).pieces()) {
    if (!('arrival' in piece)) continue;
    const result = await unlessRefused(() => take(session, piece.arrival));
    const id =
      result === undefined
        ? undefined
        : ((result as { loaded?: { id: string }; id?: string }).loaded?.id ?? (result as { id?: string }).id);
    if (id !== undefined) keys.set(piece.label, id);
  }
  session.vault.close();
  return texts.map(
    (_, at) => [...keys].find(([label]) => label.includes(`user_imported_${at}.md`))?.[1] ?? `user_imported_${at}`,
  );
}

/** From a machine that verified all of it for itself, through a remote that both use. */
async function synced(home: string, texts: readonly Named[]): Promise<Keys> {
  const remote = join(home, 'remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote]);
  const other = await openIn(join(home, 'other-machine'), { machine: { name: 'other', identity: 'another machine' } });
  const keys: (string | undefined)[] = [];
  for (const each of texts) keys.push(await unlessRefused(() => add(other.vault, each.name, memoryOf(each))));
  await connectStore(other.vault, remote);
  await sync(other, {});
  other.vault.close();
  const ours = await openIn(home);
  await connectStore(ours.vault, remote);
  await reconcile(ours.vault);
  await sync(ours, {});
  await reconcile(ours.vault);
  ours.vault.close();
  return keys;
}

/** Items of the plain-text frame. Their attributes are the server's own. */
export function itemsIn(text: string): readonly Reading[] {
  return [...text.matchAll(/^<memory nonce="\w+" id="([^"]+)" tier="(\w+)"/gm)].map(([, key = '', tier]) => ({
    key,
    text: null,
    marked: tier !== 'verified',
  }));
}
