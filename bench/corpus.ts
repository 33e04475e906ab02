import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../testkit/seeded.ts';

/** What memories of coding agents are about, most usual first. */
const USUAL =
  `test build branch merge review deploy server client database query index cache config token schema migration release version
  package module function class file folder path script command error warning log retry timeout queue worker thread process memory
  disk network request response header cookie session user admin role permission policy secret key backup restore monitor alert
  metric dashboard trace debug profile benchmark latency throughput feature flag experiment customer invoice payment order product
  catalog search filter sort page layout button form dialog theme color font icon image video upload download export import
  report summary meeting decision preference convention style lint format commit rebase squash tag issue ticket sprint plan
  estimate deadline team owner manager designer engineer reviewer contract vendor license cost budget region cluster container
  pod volume service gateway proxy balancer domain certificate encryption hash signature audit compliance privacy consent`.split(
    /\s+/,
  );
const SYLLABLES =
  'ba be bo da de di do fa fe fi ga go ha he ka ke ko la le lo ma me mi mo na ne no pa pe po ra re ri ro sa se so ta te to va ve vo wa za zo'.split(
    ' ',
  );
const RARE_WORDS = 60_000;
const SMALL_WORDS = ['the', 'a', 'of', 'in', 'for', 'with', 'is', 'we', 'to', 'and'];

/** Word `rank` of the vocabulary: real ones first, then ever rarer made-up ones. */
export function wordAt(rank: number): string {
  const usual = USUAL[rank];
  if (usual !== undefined) return usual;
  let left = rank;
  let word = '';
  for (let at = 0; at < 4; at++) {
    word += SYLLABLES[left % SYLLABLES.length];
    left = Math.floor(left / SYLLABLES.length);
  }
  return `${word}x`;
}

/** Ranks as in real text: a few words make up most of it, and most words hardly ever occur. */
function rankBy(chance: () => number): number {
  return Math.min(RARE_WORDS - 1, Math.floor(RARE_WORDS ** chance() - 1));
}

function sentence(chance: () => number, words: number): string {
  const said = Array.from({ length: words }, () =>
    chance() < 0.35 ? SMALL_WORDS[Math.floor(chance() * SMALL_WORDS.length)] : wordAt(rankBy(chance)),
  );
  return said.join(' ');
}

const TYPES = ['user', 'feedback', 'project', 'reference'];

interface Sample {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** That many memories, decided by the seed alone. */
export function* samples(memories: number, seed = 1): Generator<Sample> {
  const chance = seeded(seed);
  for (let at = 0; at < memories; at++) {
    const body = Array.from({ length: 4 }, () => `${sentence(chance, 8 + Math.floor(chance() * 12))}.`).join('\n');
    const type = TYPES[at % TYPES.length] ?? '';
    yield { type, name: sentence(chance, 4), description: sentence(chance, 8), body };
  }
}

/** Fills a folder with them, each with so many hints. */
export function writeStore(folder: string, memories: number, seed = 1, hints = 0, tier = 'inferred'): void {
  mkdirSync(folder, { recursive: true });
  let at = 0;
  const chance = seeded(seed + 1);
  for (const { type, name, description, body } of samples(memories, seed)) {
    const asked = Array.from({ length: hints }, () => sentence(chance, 8));
    const lines = [`name: ${name}`, `description: ${description}`, `type: ${type}`];
    if (hints > 0) lines.push(`asked-as: [${asked.join(', ')}]`);
    writeFileSync(
      join(folder, `${type}_m${at++}.md`),
      `---\n${lines.join('\n')}\ntrust-level: ${tier}\n---\n${body}\n`,
    );
  }
}

/** Which words are in under one memory of a hundred of such a store, and in one at least: counted, not guessed. */
export function rareIn(memories: number, seed = 1): (word: string) => boolean {
  const counts = new Map<string, number>();
  for (const { name, description, body } of samples(memories, seed)) {
    for (const word of new Set(`${name} ${description} ${body}`.match(/[a-z]+/g))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return (word) => {
    const count = counts.get(word) ?? 0;
    return count > 0 && count < memories / 100;
  };
}

/** Queries of two to six words. `ordinary` ones have a word that is in few memories, the others only usual ones. */
export function queries(
  kind: 'ordinary' | 'common',
  many: number,
  seed = 2,
  isRare: (word: string) => boolean = () => true,
): string[] {
  const chance = seeded(seed);
  return Array.from({ length: many }, () => {
    const words = Array.from({ length: 2 + Math.floor(chance() * 5) }, () => wordAt(Math.floor(chance() * 12)));
    if (kind === 'ordinary') words[Math.floor(chance() * words.length)] = rareWord(chance, isRare);
    return words.join(' ');
  });
}

/** From rank 400 on a word is in about one memory of a hundred, or fewer. */
function rareWord(chance: () => number, isRare: (word: string) => boolean): string {
  for (let tries = 0; tries < 10_000; tries++) {
    const word = wordAt(400 + Math.floor(chance() * 2_000));
    if (isRare(word)) return word;
  }
  throw new Error('no word of this store is rare enough');
}
