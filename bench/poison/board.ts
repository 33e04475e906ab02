import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginning, type Named, named, plain, type Sample } from './samples.ts';
import { type Keys, type PoisonServer, type Reader, type Reading, type View, WAYS, type Way } from './server.ts';
import { several } from './several.ts';

/** What one server let through. Shares are of the payloads that were tried, in all ways together. */
export interface Row {
  /** Payloads, once for each way. */
  readonly tried: number;
  /** Payloads that an obedient reader follows: given to it, and not marked as unproven. */
  readonly unmarked: number;
  /** Payloads that a credulous reader follows: given to it at all. */
  readonly reached: number;
  /** Payloads among what a session of a young store is given before it asks; and how much it is given. */
  readonly unasked: number;
  readonly given: number;
  /** True memories that were first for their question and no longer are; and of how many. */
  readonly displaced: number;
  readonly displaceable: number;
  /** Harmless memories found among the five best for their question; and how many there are. */
  readonly found: number;
  readonly harmless: number;
  /** Payloads with a secret that lie on the disk as they are; and of how many. */
  readonly secrets: number;
  readonly secretsTried: number;
  readonly byWay: Readonly<Partial<Record<Way, Pick<Row, 'tried' | 'unmarked' | 'reached'>>>>;
}

/** So many questions are under way on one connection. */
const AT_ONCE = 8;

/** Runs a piece of work when it is its turn. */
type InTurn = <R>(work: () => Promise<R>) => Promise<R>;

/** Drives one server through all ways in, each in a home of its own that every view reads with a fresh session. By the view's name. */
export async function measure(
  server: PoisonServer,
  samples: readonly Sample[],
  inTurn: InTurn,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, Row>> {
  const attacks = samples.filter(({ kind }) => kind === 'attack');
  const benign = samples.filter(({ kind }) => kind === 'benign');
  const ways = WAYS.filter((way) => way !== 'exchange' || server.exchange !== undefined);
  const [young, ...parts] = await Promise.all([
    inTurn(() => unaskedIn(server, attacks)),
    ...ways.map((way) =>
      inTurn(() => {
        say(`${server.name}: ${way}`);
        return throughOneWay(server, way, attacks, benign);
      }),
    ),
  ]);
  return new Map(
    server.views.map(({ name }, view) => {
      const mine = parts.map((part) => part[view] as Part);
      const sum = (count: keyof Part) => mine.reduce((total, part) => total + part[count], 0);
      const row: Row = {
        tried: sum('tried'),
        unmarked: sum('unmarked'),
        reached: sum('reached'),
        displaced: sum('displaced'),
        displaceable: sum('displaceable'),
        found: sum('found'),
        harmless: sum('harmless'),
        secrets: sum('secrets'),
        secretsTried: sum('secretsTried'),
        ...(young[view] ?? { unasked: 0, given: 0 }),
        byWay: Object.fromEntries(
          mine.map(({ tried, unmarked, reached }, at) => [ways[at], { tried, unmarked, reached }]),
        ),
      };
      return [name, row];
    }),
  );
}

type Part = Omit<Row, 'unasked' | 'given' | 'byWay'>;

function throughOneWay(
  server: PoisonServer,
  way: Way,
  attacks: readonly Sample[],
  benign: readonly Sample[],
): Promise<readonly Part[]> {
  return inHome(async (home) => {
    const truths = truthsOf(attacks);
    const trusted = await server.trust(home, truths);
    const harmless = way === 'write' ? benign.map((sample, at) => named(sample, sample.text, 5_000 + at)) : [];
    const kept = harmless.length > 0 ? await server.write(home, harmless) : [];
    const before: ReadonlyMap<string, Put>[] = [];
    for (const view of server.views) before.push(await firsts(view, home, attacks, truths, trusted));
    const put = await enter(server, home, way, attacks, truths, trusted);
    const parts: Part[] = [];
    for (const [at, view] of server.views.entries())
      parts.push(await readBack(view, home, way, put, { texts: harmless, keys: kept }, before[at] ?? new Map()));
    return parts;
  });
}

async function readBack(
  view: View,
  home: string,
  way: Way,
  put: readonly Put[],
  harmless: { readonly texts: readonly Named[]; readonly keys: Keys },
  before: ReadonlyMap<string, Put>,
): Promise<Part> {
  return inSession(view, home, async (reader) => {
    const unasked = await reader.unasked();
    const results = await several(AT_ONCE, put, async ({ given, key }) => {
      const asked = await reader.ask(given.sample.question);
      const met = [...unasked, ...asked].filter((reading) => holds(reading, given, key));
      const truth = before.get(given.sample.id);
      return {
        reached: met.length > 0,
        unmarked: met.some(({ marked }) => !marked),
        displaced: truth !== undefined && !(asked[0] !== undefined && holds(asked[0], truth.given, truth.key)),
      };
    });
    const found = await several(AT_ONCE, [...harmless.texts.entries()], async ([at, each]) => {
      const asked = await reader.ask(each.sample.question);
      return asked.some((reading) => holds(reading, each, harmless.keys[at]));
    });
    const secret = way === 'write' ? put.filter(({ given }) => given.sample.class === 'secret') : [];
    const disk = secret.length > 0 ? bytesBelow(home) : '';
    return {
      tried: put.length,
      unmarked: results.filter(({ unmarked }) => unmarked).length,
      reached: results.filter(({ reached }) => reached).length,
      displaced: results.filter(({ displaced }) => displaced).length,
      displaceable: before.size,
      found: found.filter(Boolean).length,
      harmless: harmless.texts.length,
      secrets: secret.filter(({ given }) => disk.includes(beginning(given.text))).length,
      secretsTried: secret.length,
    };
  });
}

/** A fresh session. It asks each question once, however many texts are looked for with it. */
async function inSession<T>(view: View, home: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const reader = await view.reader(home);
  const answers = new Map<string, Promise<readonly Reading[]>>();
  const ask = (question: string) => {
    const answer = answers.get(question) ?? reader.ask(question);
    answers.set(question, answer);
    return answer;
  };
  try {
    return await work({ ...reader, ask });
  } finally {
    await reader.close();
  }
}

/** A young store: five true memories, and then all attacks through the write tool. Old stores fill the session with their own. */
function unaskedIn(
  server: PoisonServer,
  attacks: readonly Sample[],
): Promise<readonly Pick<Row, 'unasked' | 'given'>[]> {
  return inHome(async (home) => {
    await server.trust(home, truthsOf(attacks).slice(0, 5));
    const texts = attacks.map((sample, at) => named(sample, sample.text, at));
    const keys = await server.write(home, texts);
    const counts: Pick<Row, 'unasked' | 'given'>[] = [];
    for (const view of server.views) {
      const given = await inSession(view, home, (reader) => reader.unasked());
      const payloads = given.filter((reading) => texts.some((each, at) => holds(reading, each, keys[at])));
      counts.push({ unasked: payloads.length, given: given.length });
    }
    return counts;
  });
}

interface Put {
  readonly given: Named;
  readonly key: string | undefined;
}

/** Each true text once, numbered from 9,000. */
function truthsOf(attacks: readonly Sample[]): readonly Named[] {
  const texts = new Map<string, Sample>();
  for (const sample of attacks) if (sample.true !== null && !texts.has(sample.true)) texts.set(sample.true, sample);
  return [...texts].map(([text, sample], at) => named(sample, text, 9_000 + at));
}

async function enter(
  server: PoisonServer,
  home: string,
  way: Way,
  attacks: readonly Sample[],
  truths: readonly Named[],
  trusted: Keys,
): Promise<readonly Put[]> {
  const given = attacks.map((sample, at) => named(sample, sample.text, at));
  const paired = (some: readonly Named[], keys: Keys): readonly Put[] =>
    some.map((each, at) => ({ given: each, key: keys[at] }));
  if (way !== 'correction') {
    const put = { write: server.write, file: server.file, exchange: server.exchange }[way];
    return put === undefined ? [] : paired(given, await put(home, given));
  }
  const corrections = given.flatMap((each) => {
    const at = truths.findIndex(({ text }) => text === each.sample.true);
    const key = trusted[at];
    return key === undefined ? [] : [{ each, key }];
  });
  const some = corrections.map(({ each }) => each);
  return paired(
    some,
    await server.correction(
      home,
      some,
      corrections.map(({ key }) => key),
    ),
  );
}

/** The attacks whose true memory is the first answer to their question before anything was put in. */
function firsts(
  view: View,
  home: string,
  attacks: readonly Sample[],
  truths: readonly Named[],
  trusted: Keys,
): Promise<ReadonlyMap<string, Put>> {
  return inSession(view, home, async (reader) => {
    const first = new Map<string, Put>();
    await several(AT_ONCE, attacks, async (sample) => {
      const at = truths.findIndex(({ text }) => text === sample.true);
      const given = truths[at];
      if (given === undefined || trusted[at] === undefined) return;
      const [best] = await reader.ask(sample.question);
      if (best !== undefined && holds(best, given, trusted[at])) first.set(sample.id, { given, key: trusted[at] });
    });
    return first;
  });
}

/** By its key where a key belongs to one text for ever; else by its first words. */
function holds(reading: Reading, { text }: Named, key: string | undefined): boolean {
  return reading.text === null ? reading.key === key : plain(reading.text).includes(beginning(text));
}

function bytesBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => plain(readFileSync(join(parentPath, name), 'latin1'))).join('\n');
}

/** A gigabyte is several times what all homes take; containers often have 64 MB there. */
const ROOM_BYTES = 2 ** 30;
const IN_MEMORY = '/dev/shm';

/** In memory where the system has a folder for that: what survives a power cut is not measured here, and waiting for the disk took most of the time. */
function folderForHomes(): string {
  if (process.env.TMPDIR !== undefined || !existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ROOM_BYTES ? IN_MEMORY : tmpdir();
}

export async function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(folderForHomes(), 'surety-poison-'));
  mkdirSync(join(home, 'work'));
  try {
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
