// npm run bench:conflicts -- --data FILE [--notes FILE] [--json]: how well texts that contradict each other are recognized. FILE has
// one pair a line: {id, a, b, label, kind}, where label is conflict, same or unrelated, and a and b are memories. The notes are those
// of one team, in which nothing contradicts anything: [{memories: [{text}]}], each text a name, a description and a body. Every two of
// them are compared, because in a store a text meets many that have nothing to do with it.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { contradictionBetween, type StatedMemory, Understood } from '../src/core/contradictions/compare.ts';

interface Labelled {
  readonly id: string;
  readonly a: Omit<StatedMemory, 'project'> & { readonly project?: string | null };
  readonly b: Labelled['a'];
  readonly label: 'conflict' | 'same' | 'unrelated';
  readonly kind: string;
}

const { values } = parseArgs({
  options: { data: { type: 'string' }, notes: { type: 'string' }, json: { type: 'boolean', default: false } },
});
if (values.data === undefined) {
  process.stderr.write('Name the file with the pairs: npm run bench:conflicts -- --data FILE\n');
  process.exit(2);
}

const print = (line: string) => process.stdout.write(`${line}\n`);

const pairs = readFileSync(values.data, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled);

const read = (memory: Labelled['a']) => new Understood({ ...memory, project: memory.project ?? null });
const judged = pairs.map((pair) => ({ ...pair, found: contradictionBetween(read(pair.a), read(pair.b)) }));
const found = judged.filter((pair) => pair.found !== undefined);
const right = found.filter(({ label }) => label === 'conflict');
const conflicts = judged.filter(({ label }) => label === 'conflict');

if (!values.json) {
  for (const kind of [...new Set(conflicts.map((pair) => pair.kind))].sort()) {
    const of = conflicts.filter((pair) => pair.kind === kind);
    print(`${kind.padEnd(12)} found ${of.filter((pair) => pair.found !== undefined).length} of ${of.length}`);
  }
  for (const { id, label, kind, found: why } of found) {
    if (label !== 'conflict') print(`false alarm  ${id} (${label}, ${kind}): ${why}`);
  }
}
const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 1_000);
print(
  JSON.stringify({
    precision: share(right.length, found.length),
    recall: share(right.length, conflicts.length),
    pairs: pairs.length,
  }),
);

if (values.notes !== undefined) {
  const [{ memories = [] } = {}]: { memories?: { text: string }[] }[] = JSON.parse(readFileSync(values.notes, 'utf8'));
  const notes = memories.map(({ text }) => {
    const [name = '', description = '', ...body] = text.split('. ');
    return read({ name, description, body: body.join('. ') });
  });
  const alarms = notes.flatMap((note, at) =>
    notes.slice(at + 1).flatMap((other) => {
      const why = contradictionBetween(note, other);
      return why === undefined ? [] : [`${why}: “${note.title}”, “${other.title}”`];
    }),
  );
  if (!values.json) for (const alarm of alarms) print(`false alarm  ${alarm}`);
  print(
    JSON.stringify({ notes: notes.length, pairs: (notes.length * (notes.length - 1)) / 2, falseAlarms: alarms.length }),
  );
}
