import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { draw } from './fresh.ts';

/** A line of a memory that states a secret, or that looks like one that does. */
export interface Sentence {
  /** The language of a sentence; `cmd` for commands, `key` for wallets, `id` for identifiers. */
  readonly group: string;
  readonly secret: boolean;
  /** Rules were written with the half `tuned` at hand; `aside` was measured when they were done. */
  readonly half: 'tuned' | 'aside';
  readonly text: string;
}

/** How often a line with a drawn part is drawn: one token says little about a format. */
const DRAWS = 10;
const DRAWN = /\{[A-Za-z]\d+\}/;

/** All of sentences.jsonl, which was written before the rules for it. Its tokens are drawn, so that the file holds none. */
export function sentences(roll: (sides: number) => number): readonly Sentence[] {
  const file = readFileSync(join(import.meta.dirname, 'sentences.jsonl'), 'utf8').trim();
  return file.split('\n').flatMap((line) => {
    const sentence = JSON.parse(line) as Sentence;
    const times = DRAWN.test(sentence.text) ? DRAWS : 1;
    return Array.from({ length: times }, () => ({ ...sentence, text: draw(sentence.text, roll) }));
  });
}
