import { STOP_WORDS } from '../search/word-forms.ts';
import { type Clause, onceStemmed, stemsOf } from './clauses.ts';
import { ALL_SORTS, agree, type Sort, type StatedValue, UNIT_NAMES, valuesIn } from './values.ts';

/** A value with the words around it, which say what it is a value of. */
export interface PlacedValue extends StatedValue {
  readonly near: ReadonlySet<string>;
}

/** What is compared of a text's values. */
export interface Valued {
  readonly title: string;
  valuesOf(sort: Sort): readonly PlacedValue[];
}

/** At most 60 values of a sort are compared; a text with more is a list. */
const MOST_VALUES = 60;

export function placedValues(clauses: readonly Clause[], sort: Sort): PlacedValue[] {
  return clauses
    .flatMap(({ text }) => {
      const values = valuesIn(text, sort);
      const near = values.length === 0 ? undefined : tellingWords(text);
      return near === undefined ? [] : values.map((value) => ({ ...value, near }));
    })
    .slice(0, MOST_VALUES);
}

const unitWords = onceStemmed(UNIT_NAMES.join(' '));
const stopWords = onceStemmed([...STOP_WORDS].join(' '));

function tellingWords(text: string): Set<string> {
  const stop = stopWords();
  return new Set([...stemsOf(text)].filter((word) => !stop.has(word) && !/^\d+$/.test(word)));
}

/** Kinds that say by themselves what they are a value of. */
const NAMED_KIND = /^(?:version|value) of |^(?:port|region)$/;
const PLACES = new RegExp(
  String.raw`(?<!\p{L})(?:${[
    'where|location|located|path|folder|directory|file|entry point|output|storage|stored|registry|layout|live|lives',
    'wo|ablage|ordner|verzeichnis|liegt|liegen',
    'où|emplacement|chemin|dossier',
    'dónde|ubicación|ruta|carpeta',
  ].join('|')})(?!\p{L})|場所|置き場|保存先|位置|目录|路径|存放`,
  'iu',
);
/** Words that only say that a place is meant. Texts that share no other word are about different things. */
const placeWords = onceStemmed(
  'where location located path folder directory file stored storage live lives ordner ablage repo repository repositories layout',
);
/** Two durations or sizes so different hardly measure the same thing. */
const FAR_APART = 1_000;

/** Whether two texts give another value for the same thing. `shared` are the words of the subject that they share. */
export function valuesDiffer(a: Valued, b: Valued, shared: ReadonlySet<string>): boolean {
  return ALL_SORTS.some((sort) =>
    [...new Set(a.valuesOf(sort).map(({ kind }) => kind))].some((kind) => kindDiffers(kind, sort, a, b, shared)),
  );
}

function kindDiffers(kind: string, sort: Sort, a: Valued, b: Valued, shared: ReadonlySet<string>): boolean {
  const [ofA, ofB] = [a, b].map((text) => text.valuesOf(sort).filter((each) => each.kind === kind)) as [
    PlacedValue[],
    PlacedValue[],
  ];
  const onlyIn = (one: PlacedValue[], other: PlacedValue[]) =>
    one.filter(({ value }) => !other.some((each) => agree(kind, value, each.value)));
  const [onlyA, onlyB] = [onlyIn(ofA, ofB), onlyIn(ofB, ofA)];
  if (onlyA.length === 0 || onlyB.length === 0) return false;
  const differsWhole = onlyA.length === ofA.length && onlyB.length === ofB.length;
  if (NAMED_KIND.test(kind)) return differsWhole;
  const aboutPlaces = [a, b].filter(({ title }) => PLACES.test(title)).length;
  if (kind === 'path' && aboutPlaces === 2 && !shared.isSubsetOf(placeWords())) return true;
  if (kind === 'path' && (shared.size < 2 || aboutPlaces === 0)) return false;
  const [titleA, titleB] = [tellingWords(a.title), tellingWords(b.title)];
  // Where the texts agree on some values of a kind, the others may be values of something else.
  const isOneEach = [ofA, ofB].every((values) => new Set(values.map(({ value }) => value)).size === 1);
  const least = isOneEach && shared.size >= 2 ? 1 : 2;
  // The unit says nothing of what is measured.
  const said = (words: Set<string>) => words.difference(unitWords());
  const isSamePlace = (one: PlacedValue, other: PlacedValue) =>
    said(one.near.intersection(other.near.union(titleB))).size >= least ||
    said(other.near.intersection(one.near.union(titleA))).size >= least;
  return onlyA.some((one) => onlyB.some((other) => !isFarApart(one, other) && isSamePlace(one, other)));
}

function isFarApart(one: StatedValue, other: StatedValue): boolean {
  const [a, b] = [Number(one.value), Number(other.value)];
  const least = Math.min(a, b);
  // Of nothing every number is far: no retries are not three, and the first day of the week is no other one.
  return least > 0 && Math.max(a, b) > FAR_APART * least;
}
