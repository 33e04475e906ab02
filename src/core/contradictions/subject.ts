import { once } from '../once.ts';
import { contentWords, onceStemmed, stemsOf } from './clauses.ts';
import { isProgram, WEEKDAYS } from './values.ts';

/** Words that say where a text applies; two texts with different ones of a line are about different things. */
const QUALIFIERS = [
  'production prod produktion producción 生产|staging|test testsystem 测试|development dev developer locally local|preview',
  'get gets|post posts|put|patch|delete',
  'unit|integration|e2e',
  'frontend|backend',
  'ios|android|web',
  'read reads|write writes',
  'internal|public external',
  'client clients|server servers',
  'python|go|rust|typescript|ruby|java|kotlin|swift|php',
];
const qualifiers = once(() => QUALIFIERS.map((line) => line.split('|').map(stemsOf)));

/** Words that name what is said of a subject and not the subject. */
const aspects = onceStemmed(
  `version versions rule location owner ownership contact provider format type style size limit limits timeout lifetime
  expiry retention strategy storage region branch script folder path command cadence freeze window policy name naming
  sorting hashing handling setup upgrade upgraded configuration pinned minimum maximum`,
);

/** A name that ends with the day, as one made from the text itself: “Deploy on Tuesdays”, “Deploy on Thursdays”. */
const weekdays = onceStemmed(WEEKDAYS.flat().join(' '));

/** The words by which the subject of a text is recognized. */
export interface ComparedSubject {
  readonly project: string | null;
  readonly written: string;
  readonly name: ReadonlySet<string>;
  /** Content words of name and description. */
  readonly title: ReadonlySet<string>;
  /** All words of name and description. */
  readonly wholeTitle: ReadonlySet<string>;
  /** Content words of the whole text. */
  readonly words: ReadonlySet<string>;
}

export function comparedSubject(
  project: string | null,
  name: string,
  description: string,
  body: string,
): ComparedSubject {
  const title = contentWords(`${name}\n${description}`);
  return {
    project,
    written: name.trim().toLowerCase(),
    name: contentWords(name),
    title,
    wholeTitle: stemsOf(`${name}\n${description}`),
    words: title.union(contentWords(body)),
  };
}

/** A text with more content words mentions many things, so it must have a third of the words of a text that it contradicts. */
const MANY_WORDS = 30;

/** The words that two texts on one subject have in common; none if they are about different things. */
export function sharedSubject(a: ComparedSubject, b: ComparedSubject): ReadonlySet<string> {
  const isElsewhere = a.project !== null && b.project !== null && a.project !== b.project;
  if (isElsewhere || isQualifiedOtherwise(a, b) || isNamedOtherwise(a, b) || isNumbered(a, b)) return new Set();
  const common = a.words.intersection(b.words);
  const [fewer, more] = [a.words.size, b.words.size].sort((one, other) => one - other) as [number, number];
  if (more > MANY_WORDS && common.size * 3 < fewer) return new Set();
  return a.title.union(b.title).intersection(common);
}

function isQualifiedOtherwise(a: ComparedSubject, b: ComparedSubject): boolean {
  return qualifiers().some((sides) => {
    const inA = sides.filter((side) => !side.isDisjointFrom(a.wholeTitle));
    const inB = sides.filter((side) => !side.isDisjointFrom(b.wholeTitle));
    return inA.length > 0 && inB.length > 0 && !inA.some((side) => inB.includes(side));
  });
}

/** Names built alike around another word each, such as “Queue for invoices” and “Queue for newsletters”. */
function isNamedOtherwise(a: ComparedSubject, b: ComparedSubject): boolean {
  const shared = a.name.intersection(b.name).size;
  if (shared === 0 || shared * 3 < Math.max(a.name.size, b.name.size) || !isBuiltAlike([...a.name], [...b.name]))
    return false;
  const hasOwn = (one: ComparedSubject, other: ComparedSubject) =>
    [...one.name].some((word) => !other.words.has(word) && !aspects().has(word) && !weekdays().has(word));
  return hasOwn(a, b) && hasOwn(b, a);
}

/** Names of a series, such as “Rule 1” and “Rule 2”; the number of a program is its version. */
function isNumbered(a: ComparedSubject, b: ComparedSubject): boolean {
  const [one, other] = [a, b].map(({ written }) => /^(.*?([^ ]+)) (\d{1,2})$/.exec(written));
  return !!one && !!other && one[1] === other[1] && one[3] !== other[3] && !isProgram(one[2] ?? '');
}

/** Whether two names have a word at the same place, counted from the beginning or from the end. */
function isBuiltAlike(one: readonly string[], other: readonly string[]): boolean {
  return one.some((word, at) => other[at] === word || other[other.length - one.length + at] === word);
}
