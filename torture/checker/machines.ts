import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Found, readFolder, readOne, readStoreId } from './file.ts';
import { readKept } from './kept.ts';
import { readLedgers, spread } from './ledger.ts';
import { Evidence, isLawful, type Tier, tierOf } from './standing.ts';

// What must hold on several machines that sync. It shares no code with the store.

/** One machine's store, and whose word counts there. */
export interface Seen {
  readonly name: string;
  readonly root: string;
  readonly state: string;
  /** The fingerprint of its key. */
  readonly own: string;
  readonly trusted: ReadonlySet<string>;
}

/** What the outside knows: what it was told, and which yeses it gave. */
export interface Known {
  /** Every text that a person was shown and said yes to, as "id digest". */
  readonly allowed: ReadonlySet<string>;
  /** Those of which a server said that they are verified now, and at which machine. */
  readonly vouched: readonly { readonly id: string; readonly digest: string; readonly by: string }[];
  /** The ids of acknowledged proposals, by the word that stands in no other. */
  readonly proposed: ReadonlyMap<string, string>;
  /** Ids and words that a person erased, or whose file they deleted or wrote over. */
  readonly removed: ReadonlySet<string>;
}

/** The word of a text that stands in no other proposal. */
export function markIn(text: string): string | undefined {
  return /\bmark[a-z]?\d+x[0-9a-f]+\b/.exec(text)?.[0];
}

export function filesOf(root: string): Found[] {
  return [...readFolder(root, 'memories').found, ...readFolder(root, 'quarantine').found];
}

/** What each file of a machine has earned, by place and name. */
export function tiersAt({ root, state, own, trusted }: Seen): Map<string, Tier> {
  const ledgers = readLedgers(root);
  const evidence = new Evidence(ledgers, readKept(state, ledgers), { own, trusted, store: readStoreId(root) });
  return new Map(filesOf(root).map((file) => [`${file.place}/${file.stem}`, tierOf(file, evidence)]));
}

/** Receipts for a text that no person said yes to, and files that have earned to be verified without one. */
export function unasked(seen: Seen, { allowed }: Known): string[] {
  const receipts = readLedgers(seen.root).flatMap(({ fingerprint, lines }) =>
    lines.flatMap(spread).flatMap(({ entry }) => {
      const isAsked = entry.to !== 'verified' || allowed.has(`${entry.id} ${entry.digest}`);
      if (isAsked && (entry.to === null || isLawful(entry))) return [];
      return [
        `${seen.name}: entry ${entry.seq} of ${fingerprint.slice(0, 8)} verifies ${entry.id}, and nobody said yes`,
      ];
    }),
  );
  const tiers = tiersAt(seen);
  const files = filesOf(seen.root).flatMap(({ id, place, stem, digest }) =>
    tiers.get(`${place}/${stem}`) === 'verified' && !allowed.has(`${id} ${digest}`)
      ? [`${seen.name}: ${place}/${stem} is verified, and nobody said yes to its text`]
      : [],
  );
  return [...receipts, ...files];
}

/** Texts with a person's yes of which the machine that took it has no file, no commit and no kept copy; others, if it is gone. */
export function yesesLost(machines: readonly Seen[], { vouched, removed }: Known): string[] {
  return vouched.flatMap(({ id, digest, by }) => {
    if (removed.has(id)) return [];
    const own = machines.filter(({ name }) => name === by);
    const isThere = (own.length > 0 ? own : machines).some((seen) => hasText(seen, id, digest));
    return isThere
      ? []
      : [`the text ${digest.slice(0, 8)} of ${id}, which a person at ${by} said yes to, is nowhere there`];
  });
}

function hasText({ root, state }: Seen, id: string, digest: string): boolean {
  return (
    existsSync(join(state, 'vouched', digest)) ||
    filesOf(root).some((file) => file.digest === digest) ||
    committed(root, id).some((bytes) => readOne('memories', id, bytes).digest === digest)
  );
}

/** Every version of a memory's file in any commit. */
function committed(root: string, id: string): Buffer[] {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const objects = git('rev-list', '--objects', '--all').toString('utf8').split('\n');
  return objects.flatMap((line) => {
    const [, oid, stem] = /^([0-9a-f]{40}) (?:memories|quarantine)\/(.+?)(?:~\d+)?\.md$/.exec(line) ?? [];
    return oid !== undefined && stem === id ? [git('cat-file', 'blob', oid)] : [];
  });
}

/** Acknowledged proposals that are in no file of any machine, and that no person took away. */
export function proposalsLost(machines: readonly Seen[], { proposed, removed }: Known): string[] {
  const there = new Set(machines.flatMap(({ root }) => filesOf(root).map(({ text }) => markIn(text?.body ?? ''))));
  return [...proposed].flatMap(([mark, id]) =>
    there.has(mark) || removed.has(mark) || removed.has(id)
      ? []
      : [`${id} (${mark}) was acknowledged and is in no file`],
  );
}

/** Verified texts of which a machine keeps no copy: a later change could not be shown there and taken back. */
export function uncopied(seen: Seen): string[] {
  const tiers = tiersAt(seen);
  return filesOf(seen.root).flatMap(({ place, stem, digest }) => {
    const isVerified = tiers.get(`${place}/${stem}`) === 'verified';
    if (!isVerified || existsSync(join(seen.state, 'vouched', digest ?? ''))) return [];
    return [`${seen.name} keeps no copy of ${place}/${stem}, which is verified there`];
  });
}

/** How memories differ between two machines: other files, other texts, other tiers. */
export function differences(one: Seen, other: Seen): { readonly id: string; readonly what: string }[] {
  const [here, there] = [stateOf(one), stateOf(other)];
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((path) => {
    const [mine, theirs] = [here.get(path), there.get(path)];
    if (mine === theirs) return [];
    const id = path.replace(/^.*\/|(~\d+)?$/g, '');
    return [
      { id, what: `${path} is ${mine ?? 'not there'} on ${one.name} and ${theirs ?? 'not there'} on ${other.name}` },
    ];
  });
}

function stateOf(seen: Seen): Map<string, string> {
  const tiers = tiersAt(seen);
  return new Map(
    filesOf(seen.root).map(({ place, stem, digest, torn }) => {
      const path = `${place}/${stem}`;
      return [path, `${tiers.get(path)} with text ${torn === undefined ? digest?.slice(0, 8) : torn}`];
    }),
  );
}
