import { type Choices, choicesDiffer, choicesIn } from './alternatives.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { ordersDiffer } from './order.ts';
import { differInOnePlace } from './same-place.ts';
import { type ComparedSubject, comparedSubject, sharedSubject } from './subject.ts';
import type { Sort } from './values.ts';
import { type PlacedValue, placedValues, type Valued, valuesDiffer } from './values-differ.ts';

/** The parts of a memory that are compared. */
export interface StatedMemory {
  readonly project: string | null;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** A text taken apart, so that it can be compared with several. Most texts differ in subject, so the rest is done when needed. */
export class Understood implements Valued {
  readonly subject: ComparedSubject;
  readonly title: string;
  readonly whole: string;
  readonly body: string;
  #clauses: readonly Clause[] | undefined;
  readonly #values = new Map<Sort, readonly PlacedValue[]>();
  #choices: Choices | undefined;

  constructor({ project, name, description, body }: StatedMemory) {
    this.subject = comparedSubject(project, name, description, body);
    this.title = `${name} ${description}`;
    this.whole = `${name}\n${description}\n${body}`;
    this.body = body;
  }

  get clauses(): readonly Clause[] {
    this.#clauses ??= clausesOf(this.whole);
    return this.#clauses;
  }

  valuesOf(sort: Sort): readonly PlacedValue[] {
    const values = this.#values.get(sort) ?? placedValues(this.clauses, sort);
    this.#values.set(sort, values);
    return values;
  }

  get choices(): Choices {
    this.#choices ??= choicesIn(this.clauses);
    return this.#choices;
  }
}

/** What speaks against two texts holding together. */
export type Contradiction = 'value' | 'alternative' | 'negation' | 'order' | 'extent';

/** Why two texts on one subject cannot both hold, as far as their words show; undefined if they can. */
export function contradictionBetween(a: Understood, b: Understood): Contradiction | undefined {
  const subject = sharedSubject(a.subject, b.subject);
  if (subject.size === 0) return undefined;
  if (valuesDiffer(a, b, subject) || differInOnePlace(a.body, b.body, subject)) return 'value';
  if (subject.size >= 2 && (choicesDiffer(a.choices, b.choices) || isOpposite(a.whole, b.whole))) return 'alternative';
  if (isDenied(a, b) || isDenied(b, a)) return 'negation';
  if (ordersDiffer(a.whole, b.whole)) return 'order';
  if (extentsDiffer(a.clauses, b.clauses, subject)) return 'extent';
  return undefined;
}

/** A title such as “Latest tag” claims nothing, so what is denied has at least 3 words, or is all that a sentence of the body denies. */
const CLAIM = 3;

/** Whether one text denies what the other says, in much the same words, and neither says both. */
function isDenied(a: Understood, b: Understood): boolean {
  const says = (clauses: readonly Clause[], words: ReadonlySet<string>, negative: boolean) =>
    clauses.some((each) => each.negative === negative && words.isSubsetOf(each.words));
  const isOnly = (claim: Clause, denial: Clause) =>
    denial.words.size === claim.words.size && b.body.includes(denial.text);
  return a.clauses.some(
    (claim) =>
      !claim.negative &&
      b.clauses.some((denial) => {
        if (!denial.negative || (claim.words.size < CLAIM && !isOnly(claim, denial))) return false;
        const shared = claim.words.intersection(denial.words);
        return (
          isMuchOf(claim, denial, shared.size) && !says(a.clauses, shared, true) && !says(b.clauses, shared, false)
        );
      }),
  );
}

/** Two words are what many clauses share that name the same thing, so they must be half of the claim. */
function isMuchOf(claim: Clause, denial: Clause, shared: number): boolean {
  return shared >= SAME * denial.words.size && (shared > 2 || (shared === 2 && shared * 2 >= claim.words.size));
}

const UN = /\bun([a-z]{3,20}ed)\b/gi;

/** Whether one text says “unsigned” where the other says “signed”, and neither says both. */
function isOpposite(a: string, b: string): boolean {
  const sides = [a, b].map((text) => text.toLowerCase());
  return [...`${a}\n${b}`.matchAll(UN)].some(([, word = '']) => {
    const bare = word.toLowerCase();
    const says = (text: string, word: string) => new RegExp(`\\b${word}\\b`).test(text);
    const [one, other] = sides.map((text) => ({ bare: says(text, bare), un: says(text, `un${bare}`) }));
    return (one?.bare && !one.un && other?.un && !other.bare) || (other?.bare && !other.un && one?.un && !one.bare);
  });
}

/** So much of a denial must be in the claim. */
const SAME = 0.6;

const WHOLE = /\b(?:every|everything|everywhere|all|any|anything|whole|entire|always|each)\b/i;
/** `read-only` says what a thing is, and not that it is a part. */
const PARTIAL = /(?<!-)\b(?:only|alone|except|just|solely)\b/i;

const CONDITION = /^(?:if|when|where|wenn|falls|si|cuando|quand)\b/i;

/** Whether one text says for all of something what the other says for a part only. A condition says when, and restricts nothing. */
function extentsDiffer(a: readonly Clause[], b: readonly Clause[], subject: ReadonlySet<string>): boolean {
  const says = (clauses: readonly Clause[], how: RegExp) =>
    clauses.filter(({ text }) => how.test(text) && !CONDITION.test(text));
  const meets = (one: readonly Clause[], other: readonly Clause[]) =>
    one.some(({ words }) =>
      other.some((each) => {
        const shared = words.intersection(each.words);
        return shared.size >= 2 && !shared.isDisjointFrom(subject);
      }),
    );
  return meets(says(a, WHOLE), says(b, PARTIAL)) || meets(says(a, PARTIAL), says(b, WHOLE));
}
