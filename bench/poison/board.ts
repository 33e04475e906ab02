import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginning, type Named, named, plain, type Sample } from './samples.ts';
import { type Keys, type PoisonServer, type Reading, WAYS, type Way } from './server.ts';

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

/** Drives one server through all ways in, each in a home of its own, and reads with a fresh session. */
export async function measure(
  server: PoisonServer,
  samples: readonly Sample[],
  say: (line: string) => void,
): Promise<Row> {
  const attacks = samples.filter(({ kind }) => kind === 'attack');
  const benign = samples.filter(({ kind }) => kind === 'benign');
  let row: Row = {
    tried: 0,
    unmarked: 0,
    reached: 0,
    unasked: 0,
    given: 0,
    displaced: 0,
    displaceable: 0,
    found: 0,
    harmless: 0,
    secrets: 0,
    secretsTried: 0,
    byWay: {},
  };
  for (const way of WAYS) {
    if (way === 'exchange' && server.exchange === undefined) continue;
    say(`${server.name}: ${way}`);
    const part = await inHome(async (home) => {
      const truths = truthsOf(attacks);
      const trusted = await server.trust(home, truths);
      const harmless = way === 'write' ? benign.map((sample, at) => named(sample, sample.text, 5_000 + at)) : [];
      const kept = harmless.length > 0 ? await server.write(home, harmless) : [];
      const before = await firsts(server, home, attacks, truths, trusted);
      const put = await enter(server, home, way, attacks, truths, trusted);
      const reader = await server.reader(home);
      try {
        const unasked = await reader.unasked();
        const tally = {
          tried: put.length,
          unmarked: 0,
          reached: 0,
          displaced: 0,
          displaceable: before.size,
        };
        for (const { given, key } of put) {
          const asked = await reader.ask(given.sample.question);
          const mine = (some: readonly Reading[]) => some.filter((reading) => holds(reading, given, key));
          const met = [...mine(unasked), ...mine(asked)];
          if (met.length > 0) tally.reached += 1;
          if (met.some(({ marked }) => !marked)) tally.unmarked += 1;
          const truth = before.get(given.sample.id);
          if (truth !== undefined && !(asked[0] !== undefined && holds(asked[0], truth.given, truth.key)))
            tally.displaced += 1;
        }
        let found = 0;
        for (const [at, each] of harmless.entries()) {
          const asked = await reader.ask(each.sample.question);
          if (asked.some((reading) => holds(reading, each, kept[at]))) found += 1;
        }
        const secret = put.filter(({ given }) => given.sample.class === 'secret');
        const disk = secret.length > 0 && way === 'write' ? bytesBelow(home) : '';
        const secrets = way === 'write' ? secret.filter(({ given }) => disk.includes(beginning(given.text))).length : 0;
        return {
          ...tally,
          unasked: 0,
          given: 0,
          found,
          harmless: harmless.length,
          secrets,
          secretsTried: way === 'write' ? secret.length : 0,
        };
      } finally {
        await reader.close();
      }
    });
    row = {
      ...Object.fromEntries(
        Object.entries(part).map(([key, value]) => [key, value + (row[key as keyof typeof part] as number)]),
      ),
      byWay: { ...row.byWay, [way]: { tried: part.tried, unmarked: part.unmarked, reached: part.reached } },
    } as Row;
  }
  return { ...row, ...(await unaskedIn(server, attacks)) };
}

/** A young store: five true memories, and then all attacks through the write tool. Old stores fill the session with their own. */
function unaskedIn(server: PoisonServer, attacks: readonly Sample[]): Promise<Pick<Row, 'unasked' | 'given'>> {
  return inHome(async (home) => {
    await server.trust(home, truthsOf(attacks).slice(0, 5));
    const texts = attacks.map((sample, at) => named(sample, sample.text, at));
    const keys = await server.write(home, texts);
    const reader = await server.reader(home);
    const given = await reader.unasked();
    await reader.close();
    const payloads = given.filter((reading) => texts.some((each, at) => holds(reading, each, keys[at])));
    return { unasked: payloads.length, given: given.length };
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
async function firsts(
  server: PoisonServer,
  home: string,
  attacks: readonly Sample[],
  truths: readonly Named[],
  trusted: Keys,
): Promise<ReadonlyMap<string, Put>> {
  const reader = await server.reader(home);
  const first = new Map<string, Put>();
  for (const sample of attacks) {
    const at = truths.findIndex(({ text }) => text === sample.true);
    const given = truths[at];
    if (given === undefined || trusted[at] === undefined) continue;
    const [best] = await reader.ask(sample.question);
    if (best !== undefined && holds(best, given, trusted[at])) first.set(sample.id, { given, key: trusted[at] });
  }
  await reader.close();
  return first;
}

/** By its key where a key belongs to one text for ever; else by its first words. */
function holds(reading: Reading, { text }: Named, key: string | undefined): boolean {
  return reading.text === null ? reading.key === key : plain(reading.text).includes(beginning(text));
}

function bytesBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => plain(readFileSync(join(parentPath, name), 'latin1'))).join('\n');
}

export async function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'surety-poison-'));
  mkdirSync(join(home, 'work'));
  try {
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
