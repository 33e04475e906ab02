import { once } from '../once.ts';
import { chunksOf, isStopWord } from '../search/tokenize.ts';
import { WEAK_WORDS } from '../search/word-forms.ts';

/** A part of a sentence, with its content words as stems, and whether it denies or forbids something. */
export interface Clause {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly negative: boolean;
}

/** What a text says once happened, and does not say to do: “rebasing broke my branches”. */
const REGRETS = String.raw`\b(?:broke|bloated|lost|hid|failed|caused|painful|went stale|tried|used to|formerly|previously|bit us|burned us|suffered|leaked|confused)\b`;

// A dot or a comma inside of a number, a path or an identifier ends nothing.
const ENDS =
  /[.!?;。！？；，、](?=\s|$)|[。！？；，、]|\n+|,\s|:\s|\s[–—-]\s|\s(?:but|because|so that|although|since|unless|while)\s/u;

const GONE = String.raw`\b(?:was|were|is|are|has been|have been|got) (?:gone|removed|dropped|archived|retired|deprecated|deleted|emptied|replaced|abandoned|obsolete|outdated|switched off|turned off)\b`;
/** What stands in a path or an identifier says nothing: `/stop/:id`, `no-explicit-any`. */
const ALONE = [String.raw`(?<![\w/:.@-])`, String.raw`(?![\w/:@-])`] as const;
/** “We dropped support for Safari 14”, “we moved away from Jenkins”. */
const LEFT = String.raw`\b(?:dropped|removed|retired|abandoned|replaced|deprecated|banned|ditched|(?:moved|migrated|switched) (?:away|off)|got rid of)\b`;
const NEGATIONS = [
  ALONE.join(
    '(?:not|never|no|none|nothing|nobody|neither|nor|without|avoid|cannot|forbid(?:den)?|stop|skip|refuse|disable[ds]?)',
  ),
  String.raw`n['’]t\b`,
  String.raw`\b(?:instead of|rather than|any ?more|no longer|free of|out of bounds|off limits)\b`,
  GONE,
  LEFT,
  ALONE.join('(?:nicht|kein(?:e|en|er|em)?|nie|niemals|ohne|statt|nunca|jamás|sin|ne|pas|jamais|sans|aucune?)'),
  REGRETS,
  '不|没|別|禁止|勿|しない|ない|ません|않|말고|금지',
];
const OVER = new RegExp(`${GONE}|${REGRETS}|\\bno longer\\b|\\bany ?more\\b`, 'iu');
const LEAVING = new RegExp(LEFT, 'iu');
const NEGATIVE = new RegExp(NEGATIONS.join('|'), 'iu');
/** These speak of nothing being lacking. */
const NOT_NEGATIVE =
  /\b(?:not only|no matter|no more than|not more than|nothing but|no later than|no doubt|if not|why not)\b/giu;

/** Words that are in so many texts about software that sharing them tells nothing of the subject. */
const genericWords = onceStemmed(
  `code file files value values set default rule rules style policy convention conventions way how where place location
  section every always never only please prefer want need needs keep put add run runs work works live lives time week
  note notes because since then still already small large big old new right wrong people team somebody nobody one two
  three project done everything anything anyone thing reason change changes changed part whole rest take takes go start
  use used using write call called come comes within second seconds minute minutes hour hours day days week weeks month months year
  years four five six seven eight nine ten`,
);

/** At most 80 clauses of a text are compared, because each is compared with each of the other text. */
const MOST_CLAUSES = 80;

export function clausesOf(text: string): Clause[] {
  return text
    .split(ENDS)
    .slice(0, MOST_CLAUSES)
    .flatMap((part) => {
      const trimmed = part?.trim() ?? '';
      return trimmed === '' ? [] : [{ text: trimmed, words: contentWords(trimmed), negative: isNegative(trimmed) }];
    });
}

/** Stems of the words that tell what a text is about. */
export function contentWords(text: string): Set<string> {
  const words = new Set<string>();
  const generic = genericWords();
  for (const chunk of chunksOf(text)) {
    if (isStopWord(chunk) || WEAK_WORDS.has(chunk.plain)) continue;
    for (const term of chunk.terms) if (!generic.has(term) && !/^\d+$/.test(term) && term.length > 1) words.add(term);
  }
  return words;
}

export function isNegative(text: string): boolean {
  return NEGATIVE.test(text.replace(NOT_NEGATIVE, ' '));
}

/** Whether what stands before a word says that it was given up: `we replaced`. */
export function isLeaving(before: string): boolean {
  return LEAVING.test(before);
}

/** Whether what follows a word says that it is over: `is gone`, `broke twice`. */
export function isOver(after: string): boolean {
  return OVER.test(after);
}

/** The stems of a table's words. They are made at first use, because most commands compare nothing. */
export function onceStemmed(words: string): () => ReadonlySet<string> {
  return once(() => stemsOf(words));
}

export function stemsOf(words: string): Set<string> {
  return new Set(chunksOf(words).flatMap(({ terms }) => terms));
}
