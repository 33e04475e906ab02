import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, digestWhenStored, type Found, readFolder, readStoreId, type Text } from './file.ts';
import { readKept } from './kept.ts';
import { type Entry, type Ledger, type Line, readLedgers, spread } from './ledger.ts';
import { falselySigned, signedReceipts } from './passkeys.ts';
import { Evidence, HEIGHT, isLawful, type Tier, tierOf, vouchedBy } from './standing.ts';

/** Everything that can be wrong with a store: what the table of a run counts. */
export const KINDS = ['lost', 'torn', 'duplicated', 'above', 'below', 'leaked'] as const;
export type Kind = (typeof KINDS)[number];

export interface Damage {
  readonly kind: Kind;
  readonly what: string;
}

/** What the outside knows: what it was told, what it typed into files, and which yeses it gave. */
export interface Told {
  /** Proposals that were acknowledged. */
  readonly acknowledged: ReadonlyMap<string, Text>;
  /** Those of them that were told to be new, and not to have been there already. */
  readonly created: ReadonlySet<string>;
  /** Ids that two different texts were given. */
  readonly givenTwice: readonly string[];
  /** Whole texts that were typed into files: one of these may stand there instead. */
  readonly typed: ReadonlyMap<string, readonly Text[]>;
  /** The tiers a memory may have, given every decision that was acknowledged or is still in doubt. */
  readonly may: ReadonlyMap<string, ReadonlySet<Tier>>;
  /** How often a person said yes, by "verb id". */
  readonly yeses: ReadonlyMap<string, number>;
  /** Other words that a person said yes to: one of these may stand there instead. */
  readonly reworded: ReadonlyMap<string, readonly Text[]>;
  /** How often a person said no to a text that was to count, by id. */
  readonly noes: ReadonlyMap<string, number>;
  /** Memories of which a server acknowledged such a no. */
  readonly refused: ReadonlySet<string>;
  /** Memories of which git put a file back beside another. */
  readonly doubledByGit: ReadonlySet<string>;
  /** Memories under whose id a machine that nobody trusts has proposed something else: a sync parks that beside them. */
  readonly strangers: ReadonlySet<string>;
  /** Memories whose file somebody deleted behind the servers' backs. */
  readonly deleted: ReadonlySet<string>;
  /** The same, and those whose file came back since. */
  readonly onceDeleted: ReadonlySet<string>;
}

/** A memory that the ledgers have alive and whose file was deleted: the operator must be told of it. */
interface Missing {
  readonly id: string;
  /** The text that a person vouched for, where this machine keeps a copy of it: that one must come back after a yes. */
  readonly vouched: string | undefined;
}

export interface Store {
  readonly root: string;
  /** This machine's folder for this store. */
  readonly state: string;
  /** The fingerprint of this machine's key. */
  readonly own: string;
  /** Whether a server has looked over the folders since anything else touched them. */
  readonly settled: boolean;
}

export interface Report {
  readonly damages: readonly Damage[];
  readonly tiers: ReadonlyMap<string, Tier>;
  /** Files in quarantine beside a memory of their id, where that is git's doing: the operator must be told of each. */
  readonly doubledByGit: readonly string[];
  readonly missing: readonly Missing[];
  /** Files in quarantine whose text a person vouched for, while another text has its place: the operator must be told of each. */
  readonly displaced: readonly string[];
  /** Digests of the texts in the store's files, by memory. */
  readonly digests: ReadonlyMap<string, ReadonlySet<string | null>>;
  /** Hashes of the own ledger's lines, for the next time. */
  readonly lines: readonly string[];
  readonly files: number;
  /** Receipts of this machine that a passkey signed. */
  readonly signed: number;
  /** What a kill left behind without harm: temporary files, and a last line that was not finished. */
  readonly leftovers: number;
}

/** A word that stands in one proposal only, so that two files with it are one memory twice. */
const MARK = /\bmark[a-z]?\d+x[0-9a-f]+\b/;
const DAY_MS = 86_400_000;

/** Reads a store that nobody is writing to and says what is wrong with it. `before` are the ledger's lines as they once were. */
export function check(store: Store, told: Told, before: readonly string[] = []): Report {
  const folders = [readFolder(store.root, 'memories'), readFolder(store.root, 'quarantine')];
  const found = folders.flatMap((folder) => folder.found);
  const ledgers = readLedgers(store.root);
  const own = ledgers.find(({ fingerprint }) => fingerprint === store.own);
  const kept = readKept(store.state, ledgers);
  const evidence = new Evidence(ledgers, kept, { own: store.own, store: readStoreId(store.root) });
  const tiers = new Map<string, Tier>();
  for (const each of found) {
    const tier = tierOf(each, evidence);
    const other = tiers.get(each.id);
    if (other === undefined || (HEIGHT[tier] ?? 0) > (HEIGHT[other] ?? 0)) tiers.set(each.id, tier);
  }
  const twins = store.settled ? inBothFolders(found) : [];
  const damages = [
    ...found.flatMap(({ stem, place, torn }) => (torn ? [{ kind: 'torn', what: `${place}/${stem}: ${torn}` }] : [])),
    ...ledgers.flatMap((ledger) => tornLedger(ledger, ledger === own ? before : [])),
    ...kept.lowerings.flatMap((aside) => tornLedger(aside, [], 'lowerings set aside of ')),
    ...(before.length > 0 && own === undefined ? [{ kind: 'torn', what: 'the ledger is gone' }] : []),
    ...lost(found, own?.lines ?? [], told, store.settled),
    ...duplicated(found, own?.lines ?? [], told),
    ...twins.flatMap(({ id }): Damage[] =>
      told.doubledByGit.has(id) || told.strangers.has(id) ? [] : [twice(`${id} lies in both folders`)],
    ),
    ...standing(tiers, told),
    ...decided(own?.lines ?? [], told),
    ...(own === undefined ? [] : falselySigned(own)).map(
      ({ entry }): Damage => ({
        kind: 'above',
        what: `entry ${entry.seq} says that a passkey signed it, and none did`,
      }),
    ),
    ...declined(own?.lines ?? [], told),
    ...leapt(own?.lines ?? []),
  ] as Damage[];
  const leftovers = folders.reduce((sum, folder) => sum + folder.leftovers, own?.cut ? 1 : 0);
  const doubledByGit = twins.flatMap(({ id, stem }) => (told.doubledByGit.has(id) ? [`quarantine/${stem}.md`] : []));
  const byId = Map.groupBy(found, ({ id }) => id);
  const digests = new Map([...byId].map(([id, files]) => [id, new Set(files.map(({ digest }) => digest))]));
  const missing = [...told.deleted].flatMap((id) => (digests.has(id) ? [] : missingAs(id, evidence, store.state)));
  const displaced = [...byId].flatMap(([id, files]) => displacedIn(id, files, evidence));
  return {
    damages,
    signed: own === undefined ? 0 : signedReceipts(own).length,
    tiers,
    doubledByGit,
    missing,
    displaced,
    digests,
    lines: own?.hashes ?? [],
    files: found.length,
    leftovers,
  };
}

function displacedIn(id: string, files: readonly Found[], evidence: Evidence): string[] {
  const heads = evidence.heads(id);
  const vouched = new Set(heads.map(vouchedBy));
  const inPlace = files.filter(({ place, claim }) => place === 'memories' && claim !== 'quarantined');
  if (heads.some(({ entry }) => entry.to === 'quarantined') || inPlace.length === 0) return [];
  if (inPlace.some(({ digest }) => vouched.has(digest ?? ''))) return [];
  const aside = files.filter(({ place, digest }) => place === 'quarantine' && vouched.has(digest ?? ''));
  return aside.map(({ stem }) => `quarantine/${stem}.md`);
}

/** What a memory without a file is missing as; nothing where a decision has put it away, or none was ever made. */
function missingAs(id: string, evidence: Evidence, state: string): Missing[] {
  const heads = evidence.heads(id);
  if (heads.length === 0 || heads.some(({ entry }) => entry.to === 'quarantined')) return [];
  const [digest, ...others] = new Set(heads.map((head) => vouchedBy(head)));
  const isKept = digest !== undefined && others.length === 0 && existsSync(join(state, 'vouched', digest));
  return [{ id, vouched: isKept ? digest : undefined }];
}

/** Holds what a server says of memories against what their files and ledgers are worth. */
export function compareServed(
  tiers: ReadonlyMap<string, Tier>,
  served: ReadonlyMap<string, string>,
  deleted: ReadonlySet<string> = new Set(),
): Damage[] {
  return [...served].flatMap(([id, said]): Damage[] => {
    const earned = tiers.get(id);
    if (earned === undefined && said === 'refused' && deleted.has(id)) return [];
    if (said === earned || (said === 'withheld' && earned === 'quarantined')) return [];
    if (earned === undefined) return [{ kind: 'lost', what: `${id} is served as ${said} and has no file` }];
    if (HEIGHT[said] === undefined) return [{ kind: 'lost', what: `${id} is ${earned} and cannot be read (${said})` }];
    if (earned === 'quarantined') return [{ kind: 'leaked', what: `${id} is quarantined and served as ${said}` }];
    const kind = (HEIGHT[said] ?? -1) > (HEIGHT[earned] ?? 0) ? 'above' : 'below';
    return [{ kind, what: `${id} is served as ${said} and has earned ${earned}` }];
  });
}

/** What was deleted, or displaced by a stranger, is no loss of the program's as long as somebody says so. */
export function untold(
  { missing, displaced }: Pick<Report, 'missing' | 'displaced'>,
  named: ReadonlySet<string>,
): Damage[] {
  const silent = [...missing.map(({ id }) => id), ...displaced].filter((what) => !named.has(what));
  return silent.map((what) => ({ kind: 'lost', what: `${what} is missing or displaced, and nobody is told` }));
}

/** After a yes everything that a person vouched for, and that this machine keeps, must be back with exactly that text. */
export function notBack(missing: readonly Missing[], { digests }: Pick<Report, 'digests'>): Damage[] {
  return missing.flatMap(({ id, vouched }): Damage[] =>
    vouched === undefined || digests.get(id)?.has(vouched)
      ? []
      : [{ kind: 'lost', what: `${id} was vouched for and deleted, and is not back after a yes` }],
  );
}

function tornLedger({ fingerprint, faults, hashes }: Ledger, before: readonly string[], kind = ''): Damage[] {
  const name = `${kind}ledger ${fingerprint.slice(0, 8)}`;
  const torn = faults.map((fault): Damage => ({ kind: 'torn', what: `${name}, ${fault}` }));
  const kept = before.every((hash, at) => hashes[at] === hash);
  return kept ? torn : [...torn, { kind: 'torn', what: `${name} does not continue what it was` }];
}

function lost(found: readonly Found[], lines: readonly Line[], told: Told, settled: boolean): Damage[] {
  const { acknowledged, created, typed, reworded, deleted, onceDeleted } = told;
  const files = Map.groupBy(found, ({ id }) => id);
  // A file whose writer was killed before the entry was there when it was proposed again: the next look writes it down.
  const entered = new Set(lines.flatMap(spread).map(({ entry }) => `${entry.id} ${entry.digest}`));
  return [...acknowledged].flatMap(([id, text]): Damage[] => {
    const digest = digestWhenStored(id, text);
    const own = (reworded.get(id) ?? []).map((words) => digestWhenStored(id, words));
    const right = new Set([digest, ...own, ...(typed.get(id) ?? []).map((other) => digestOf(id, other))]);
    const damages: Damage[] = [];
    const there = files.get(id) ?? [];
    if (there.length === 0) {
      if (!deleted.has(id)) damages.push({ kind: 'lost', what: `${id} was acknowledged and has no file` });
    } else if (!there.some((file) => file.torn !== undefined || right.has(file.digest ?? '')))
      damages.push({ kind: 'lost', what: `${id} says something else than what was acknowledged` });
    // One that was there without an entry, and was deleted before anybody looked at it, never gets one.
    const isOwed = created.has(id) || (settled && !onceDeleted.has(id));
    if (!entered.has(`${id} ${digest}`) && isOwed)
      damages.push({ kind: 'lost', what: `${id} was acknowledged and has no entry` });
    return damages;
  });
}

function twice(what: string): Damage {
  return { kind: 'duplicated', what };
}

function duplicated(found: readonly Found[], lines: readonly Line[], { givenTwice, onceDeleted }: Told): Damage[] {
  const marks = Map.groupBy(found, ({ text }) => MARK.exec(text?.body ?? '')?.[0]);
  const texts = [...marks].flatMap(([mark, files]) => {
    const ids = new Set(files.map(({ id }) => id));
    // Proposed once more while its file was deleted, and then put back.
    if ([...ids].some((id) => onceDeleted.has(id))) return [];
    return mark !== undefined && ids.size > 1 ? [twice(`one text is stored as ${[...ids].join(' and ')}`)] : [];
  });
  const born = Map.groupBy(
    lines.filter(({ entry }) => entry.from === null && entry.to !== null),
    ({ entry }) => entry.id,
  );
  const births = [...born].flatMap(([id, all]) =>
    all.length > 1 ? [twice(`${id} was born ${all.length} times`)] : [],
  );
  return [...texts, ...births, ...givenTwice.map((id) => twice(`${id} was given to two texts`))];
}

/** What lies in quarantine although a memory of its id is in the other folder. */
function inBothFolders(found: readonly Found[]): Found[] {
  const inUse = new Set(found.flatMap(({ place, id }) => (place === 'memories' ? [id] : [])));
  return found.filter(({ place, id }) => place === 'quarantine' && inUse.has(id));
}

function standing(tiers: ReadonlyMap<string, Tier>, { may }: Told): Damage[] {
  return [...may].flatMap(([id, allowed]): Damage[] => {
    const tier = tiers.get(id);
    if (tier === undefined || allowed.has(tier)) return [];
    const most = Math.max(...[...allowed].map((one) => HEIGHT[one] ?? 0));
    const kind = (HEIGHT[tier] ?? 0) > most ? 'above' : 'below';
    return [{ kind, what: `${id} is ${tier}; what was decided makes it ${[...allowed].join(' or ')}` }];
  });
}

const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** When an entry was made, for a reader whose clock says `now`: the writer's own clock counts where `at` is ahead. */
function timeAt({ at, clock }: Entry, now: number): number {
  return Date.parse(at) > now ? Date.parse(clock ?? at) : Date.parse(at);
}

/** At most so many days lie between two entries without a person's word that the date is right. */
const LONGEST_DAYS = 400;

function leapt(lines: readonly Line[]): Damage[] {
  return lines.flatMap(({ entry }, at): Damage[] => {
    const before = lines[at - 1]?.entry;
    const now = Date.parse(entry.clock ?? entry.at);
    const days = before === undefined || entry.clock === undefined ? 0 : dayOf(now) - dayOf(timeAt(before, now));
    if (days <= LONGEST_DAYS || (entry.action === 'dated' && entry.by.actor === 'operator')) return [];
    return [{ kind: 'above', what: `entry ${entry.seq} was signed ${days} days later, and nobody confirmed the date` }];
  });
}

/** A receipt that nobody gave, an observation cut short, a change that the table does not have. */
function decided(lines: readonly Line[], { yeses }: Told): Damage[] {
  const above = (what: string): Damage => ({ kind: 'above', what });
  const raised = lines.filter(({ entry }) => entry.to === 'verified');
  const unlawful = lines.filter(({ entry }) => entry.to !== null && !isLawful(entry));
  const unasked = [...Map.groupBy(raised, ({ entry }) => `${entry.action} ${entry.id}`)].filter(
    ([what, all]) => all.length > (yeses.get(what) ?? 0),
  );
  const seen = new Map<string, Entry>();
  const hasty: Damage[] = [];
  for (const { entry } of lines.flatMap(spread)) {
    const text = `${entry.id} ${entry.digest}`;
    const first = seen.get(text) ?? entry;
    seen.set(text, first);
    const now = Date.parse(entry.clock ?? entry.at);
    const days = dayOf(now) - dayOf(timeAt(first, now));
    if (entry.was !== undefined && !seen.has(`${entry.id} ${entry.was}`))
      hasty.push(above(`${entry.id} was reworded from a text that nobody has seen`));
    if (entry.action === 'promote' && days < entry.settings.observationDays)
      hasty.push(above(`${entry.id} was promoted after ${days} days`));
  }
  return [
    ...unlawful.map(({ entry }) => above(`entry ${entry.seq} is no change that exists`)),
    ...unasked.map(([what]) => above(`${what}: more receipts than a person gave`)),
    ...hasty,
  ];
}

/** A no that was acknowledged and is not on record, and one on record that nobody said. */
function declined(lines: readonly Line[], { noes, refused }: Told): Damage[] {
  const records = Map.groupBy(
    lines.filter(({ entry }) => entry.action === 'declined'),
    ({ entry }) => entry.id,
  );
  const invented = [...records].filter(([id, all]) => all.length > (noes.get(id) ?? 0));
  const forgotten = [...refused].filter((id) => !records.has(id));
  return [
    ...invented.map(([id]): Damage => ({ kind: 'below', what: `${id}: more noes than a person gave` })),
    ...forgotten.map((id): Damage => ({ kind: 'lost', what: `the no to ${id} was acknowledged and has no entry` })),
  ];
}
