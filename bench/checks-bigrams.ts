/** Prints the table of src/core/secrets/bigrams.ts, learned from ordinary text: `node bench/checks-bigrams.ts DIR`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BIGRAM_LEVELS, characterKind, KINDS, STEP } from '../src/core/secrets/bigrams.ts';

const dir = process.argv[2] ?? join(import.meta.dirname, '../../shared/data');
const texts = ['benign.jsonl.gz', 'injection.jsonl.gz'].flatMap((file) =>
  gunzipSync(readFileSync(join(dir, file)))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text: string; injection?: boolean })
    .filter(({ injection }) => injection !== true)
    .map(({ text }) => text),
);

/** One row for each kind of character before, and one for the start of a word. */
const counts = Array.from({ length: KINDS + 1 }, () => new Float64Array(KINDS).fill(0.5));
for (const text of texts) {
  for (const [word] of text.matchAll(/[A-Za-z0-9_+/=.-]{4,60}/g)) {
    let before = KINDS;
    for (const char of word) {
      const kind = characterKind(char.charCodeAt(0));
      const row = counts[before];
      if (row?.[kind] !== undefined) row[kind]++;
      before = kind;
    }
  }
}
for (const row of counts) {
  const sum = row.reduce((a, b) => a + b, 0);
  const levels = [...row].map((count) =>
    Math.min(BIGRAM_LEVELS.length - 1, Math.round(-Math.log2(count / sum) / STEP)),
  );
  process.stdout.write(`  '${levels.map((level) => BIGRAM_LEVELS[level]).join('')}',\n`);
}
