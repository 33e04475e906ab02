import { stemsOf } from './clauses.ts';

/** A word that states a value: a number, a path, an identifier, something quoted, a name. */
const STATED = /[\d`"“/_]|[a-z][A-Z]|^\p{Lu}/u;
/** An answer to a question, and no value of anything. */
const YES_OR_NO = /^(?:yes|no)\P{L}*$/iu;
const FEWEST_WORDS = 4;
const LONGEST_SPAN = 3;
/** This part of a sentence must be the same on both sides. */
const SAME = 0.6;
const SENTENCE_END = /[.;!?](?=\s|$)|\n+/;
const MOST_SENTENCES = 40;

/**
 * Whether two texts have the same sentence with another value in the same place: “the API listens on 4000”, “… on 4100”. The
 * words they share must name the subject: “so the answer is Yes” is about anything.
 */
export function differInOnePlace(a: string, b: string, subject: ReadonlySet<string>): boolean {
  const [sentences, others] = [sentencesOf(a), sentencesOf(b)];
  return sentences.some((one) =>
    others.some((other) => {
      const same = sameAround(one, other);
      return same !== undefined && !stemsOf(same.join(' ')).isDisjointFrom(subject);
    }),
  );
}

function sentencesOf(text: string): string[][] {
  return text
    .split(SENTENCE_END)
    .slice(0, MOST_SENTENCES)
    .map((sentence) => sentence.trim().split(/[\s,:()]+/))
    .filter(({ length }) => length >= FEWEST_WORDS);
}

/** The words around another value; undefined if the sentences differ in more than that. */
function sameAround(one: readonly string[], other: readonly string[]): readonly string[] | undefined {
  const same = (x: string | undefined, y: string | undefined) => x?.toLowerCase() === y?.toLowerCase();
  const shorter = Math.min(one.length, other.length);
  let before = 0;
  while (before < shorter && same(one[before], other[before])) before += 1;
  let behind = 0;
  while (behind < shorter - before && same(one.at(-1 - behind), other.at(-1 - behind))) behind += 1;
  const spans = [one, other].map((words) => words.slice(before, words.length - behind));
  // The first words name what the sentence is about: with others it is about something else.
  if (before === 0 || before + behind < SAME * Math.max(one.length, other.length)) return undefined;
  const areValues = spans.every(
    (span) =>
      span.length > 0 && span.length <= LONGEST_SPAN && span.some((word) => STATED.test(word) && !YES_OR_NO.test(word)),
  );
  return areValues ? [...one.slice(0, before), ...one.slice(one.length - behind)] : undefined;
}
