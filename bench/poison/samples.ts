import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dice } from '../fresh.ts';

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

/** Every sample of `DIR/poison/*.jsonl` or `DIR/*.jsonl`, in an order that the seed decides; undefined if there is none. */
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
  return samples
    .map((sample) => ({ sample, at: random(1 << 30) }))
    .sort((a, b) => a.at - b.at)
    .map(({ sample }) => sample);
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
