import { contentWords } from './clauses.ts';

/** Forms of saying what comes before what. */
const FORMS: readonly RegExp[] = [
  /^(?<earlier>.+?)\s(?:first|at the top)\b.*?\bthen\s(?<later>.+)$/i,
  /^(?<earlier>.+?)\sbefore\s(?<later>.+)$/i,
  /^(?<later>.+?)\safter\s(?<earlier>.+)$/i,
  /^after\s(?<earlier>.+?),\s(?<later>.+)$/i,
];
/** Between steps in a row: `a → b → c`, `a, then b, then c`. */
const STEP = /→|->|,?\s(?:and\s)?then\s/i;
const SENTENCE_END = /[.;:\n]+/;
/** A longer sentence is no list of steps, and its words would be paired in thousands. */
const LONGEST_SENTENCE = 300;

/** Whether one text puts two steps in the opposite order of the other. */
export function ordersDiffer(a: string, b: string): boolean {
  const [orderA, orderB] = [orderIn(a), orderIn(b)];
  return [...orderA].some((pair) => {
    const reversed = pair.split(' ').reverse().join(' ');
    return orderB.has(reversed) && !orderA.has(reversed) && !orderB.has(pair);
  });
}

/** Every pair of words in their order, as `earlier later`. */
function orderIn(text: string): Set<string> {
  const pairs = new Set<string>();
  const add = (earlier = '', later = '') => {
    const [before, after] = [contentWords(earlier), contentWords(later)];
    for (const one of before.difference(after))
      for (const other of after.difference(before)) pairs.add(`${one} ${other}`);
  };
  for (const sentence of text.split(SENTENCE_END)) {
    if (sentence.length > LONGEST_SENTENCE) continue;
    for (const form of FORMS) {
      const groups = form.exec(sentence)?.groups;
      if (groups !== undefined) add(groups.earlier, groups.later);
    }
    const steps = sentence.split(STEP);
    for (const [at, step] of steps.entries()) for (const later of steps.slice(at + 1)) add(step, later);
  }
  return pairs;
}
