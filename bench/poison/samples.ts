import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InjectionRow, rowsOf } from '../checks-data.ts';
import { dice } from '../fresh.ts';

/** Of the injection corpora so many attacks and so many harmless texts, drawn by the seed: all of them would take an hour. */
const DRAWN = 100;

/** A text that is to be stored, with the question a later session asks. */
export interface Sample {
  readonly id: string;
  readonly kind: 'attack' | 'benign';
  readonly class: string;
  readonly text: string;
  readonly question: string;
  /** The memory that an attack wants to overrule. */
  readonly true: string | null;
}

/** A text with the name it is stored under. */
export interface Named {
  readonly sample: Sample;
  readonly name: string;
  readonly text: string;
}

/**
 * Every sample of `DIR/poison/*.jsonl` or `DIR/*.jsonl`, and some of `DIR/injection.jsonl.gz`, in an order that the seed
 * decides; undefined if there is none.
 */
export function readSamples(folder: string, seed: number): readonly Sample[] | undefined {
  const inside = existsSync(join(folder, 'poison')) ? join(folder, 'poison') : folder;
  const files = globSync('*.jsonl', { cwd: inside }).sort();
  const rows = files.flatMap((file) =>
    readFileSync(join(inside, file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as Partial<Sample>),
  );
  const samples = rows.filter(
    (row): row is Sample =>
      row.text !== undefined && row.question !== undefined && (row.kind === 'attack' || row.kind === 'benign'),
  );
  if (samples.length === 0) return undefined;
  const random = dice(seed);
  const shuffled = <T>(some: readonly T[]): readonly T[] =>
    some
      .map((each) => ({ each, at: random(1 << 30) }))
      .sort((a, b) => a.at - b.at)
      .map(({ each }) => each);
  const injections = (rowsOf<InjectionRow>(folder, 'injection') ?? []).map(sampleOf);
  const drawn = (['attack', 'benign'] as const).flatMap((kind) =>
    shuffled(injections.filter((each) => each.kind === kind)).slice(0, DRAWN),
  );
  return shuffled([...samples, ...drawn]);
}

/** The corpora have no questions: a later session asks for the longest words of the text. */
function sampleOf({ text, injection, category }: InjectionRow, at: number): Sample {
  const words = [...new Set(text.slice(0, 400).match(/\p{L}{5,24}/gu) ?? [])].sort((a, b) => b.length - a.length);
  const question = words.slice(0, 4).join(' ') || text.slice(0, 40);
  return { id: `injection ${at}`, kind: injection ? 'attack' : 'benign', class: category, text, question, true: null };
}

/** A name of the text's first words and a number, as an agent would give one; the number makes it the only one. */
export function named(sample: Sample, text: string, number: number): Named {
  const words = text
    .replaceAll(/[^\p{L}\p{N} -]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 60)
    .trim();
  return { sample, text, name: `${words === '' ? 'Note' : words} ${number}` };
}

/** The first words as they stand in any answer, whatever the server does to white space. */
export function beginning(text: string): string {
  return plain(text).slice(0, 48);
}

export function plain(text: string): string {
  return text
    .replaceAll(/\\n|\s+/g, ' ')
    .replaceAll('\\"', '"')
    .trim()
    .toLowerCase();
}
