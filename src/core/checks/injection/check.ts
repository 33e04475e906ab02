import type { Finding } from '../../finding.ts';
import { type MemoryId, typeOfId } from '../../memory/ids.ts';
import { matchesOf } from '../../text/matches-of.ts';
import { foldFramed, hasFramed } from '../../text/normalize.ts';
import type { Check } from '../inspect.ts';
import { lineAt, type PlainPassage, plainPassagesOf, spanOf, type Words, wordsOf } from '../passages.ts';
import { fileWith } from '../sample-file.ts';
import { AGENT_RULES } from './agent.ts';
import { ANSWER_RULES } from './answers.ts';
import { CLAIM_RULES } from './claims.ts';
import { CONDUCT_RULES } from './conduct.ts';
import { disguised } from './disguise.ts';
import { LIMIT_RULES } from './limits.ts';
import { OVERSIGHT_RULES } from './oversight.ts';
import { possiblePatterns } from './possible-patterns.ts';
import { PRETEXT_RULES } from './pretexts.ts';
import { REWORDED_RULES } from './reworded.ts';
import { type InjectionRule, STRONG } from './rules.ts';
import { WEAK } from './weak.ts';

export const INJECTION_RULES: readonly InjectionRule[] = [
  STRONG,
  AGENT_RULES,
  REWORDED_RULES,
  ANSWER_RULES,
  PRETEXT_RULES,
  // Tried together: one more pass over each text would cost a tenth more.
  [...OVERSIGHT_RULES, ...CLAIM_RULES, ...CONDUCT_RULES, ...LIMIT_RULES],
  WEAK,
].flat();

/** The words that each pattern needs. Set by build.ts, because finding them takes as long as starting a process. */
declare const BUILT_NEEDED_WORDS: string | undefined;

let possibleIn: ReturnType<typeof possiblePatterns> | undefined;

/** Rules that say less than another rule: the value covers the key. */
const COVERED: Readonly<Record<string, string>> = {
  'override-word': 'override-phrase',
  'role-word': 'role-marker',
  'persona-word': 'persona-override',
  'persona-assigned': 'persona-override',
  'persona-claimed': 'persona-override',
  'rules-voided': 'override-phrase',
  'kept-from-person': 'concealment',
  'permission-claimed': 'self-authority',
  'turn-forged': 'role-marker',
  'machine-addressed': 'chat-token',
  'limits-denied': 'persona-override',
  'orders-replaced': 'override-phrase',
};

/** Fields of the server, in which no phrase is looked for. */
const OWN_FIELDS = new Set(['file', 'type', 'trust-level', 'created-at', 'last-verified', 'quarantined-at']);

/**
 * Text that reads like an instruction to the agent. A finding is a reason to look and no verdict: most attacks are worded in
 * ways no list contains. It never blocks; with `warn` the operator chose not to hold either.
 */
export function injectionCheck(mode: 'hold' | 'warn'): Check {
  return {
    name: mode === 'hold' ? 'injection' : 'injection-warn',
    get evidence() {
      return INJECTION_RULES.map(({ rule, catches, allows }) => ({
        rule,
        catches: catches.map(padded),
        allows: allows.map(padded),
      }));
    },
    *run(subject) {
      const passages = plainPassagesOf(subject).filter(({ field }) => !OWN_FIELDS.has(field));
      const readings = [...passages.flatMap(readingsOf), readingOfId(subject.id)];
      const fired = new Set<string>();
      possibleIn ??= possiblePatterns(
        INJECTION_RULES.flatMap(({ patterns }) => patterns),
        typeof BUILT_NEEDED_WORDS === 'string' ? JSON.parse(BUILT_NEEDED_WORDS) : undefined,
      );
      const possible = possibleIn(readings.map(({ words }) => words.text));
      for (const rule of INJECTION_RULES) {
        const patterns = rule.patterns.filter((pattern) => possible.has(pattern));
        const first = patterns.length === 0 ? undefined : fires({ ...rule, patterns }, readings);
        if (first === undefined || fired.has(COVERED[rule.rule] ?? '')) continue;
        fired.add(rule.rule);
        const severity = rule.strength === 'strong' ? mode : 'warn';
        yield { class: 'injection', rule: rule.rule, severity, ...first, message: rule.message };
      }
    },
  };
}

/** One way to read a passage. */
interface PassageReading {
  readonly field: string;
  readonly words: Words;
  /** Whether only a disguise would be written this way. Weak rules do not apply then. */
  readonly disguise: boolean;
  /** The stretch of the field for offsets of the words, if known. */
  readonly spanOf?: (start: number, end: number) => Pick<Finding, 'span'>;
}

type FindingPlace = Pick<Finding, 'field' | 'line' | 'span'>;

/** At most 400 characters on each side, because a longer text speaks of many things. */
const AROUND = 400;

function readingsOf(given: PlainPassage): readonly PassageReading[] {
  const passage = hasFramed(given.raw) ? { ...given, folded: foldFramed(given.raw) } : given;
  const { field, folded } = passage;
  const words = wordsOf(passage);
  const span = (start: number, end: number) => spanOf(passage, words.rawOf(start), words.rawOf(end - 1) + 1);
  const others = disguised(words.text, folded.text).map(({ text, from }): PassageReading => {
    if (from === undefined) return { field, words: { ...words, text }, disguise: true, spanOf: span };
    const rawOf = (offset: number) => folded.from(from(offset));
    return { field, words: { text, rawOf, lineOf: (offset) => lineAt(passage, rawOf(offset)) }, disguise: true };
  });
  return [{ field, words, disguise: false, spanOf: span }, ...others];
}

/**
 * An id is said to a model as the server's own word, and whoever writes a file names it. It repeats the memory's name, so weak rules,
 * some of which count, do not apply.
 */
function readingOfId(id: MemoryId | undefined): PassageReading {
  const text = id === undefined ? '' : id.slice(typeOfId(id).length + 1).replaceAll('_', ' ');
  return { field: 'file', words: { text, rawOf: () => 0, lineOf: () => 1 }, disguise: true };
}

/** Where a rule first matches, if it matches often enough. */
function fires(
  { patterns, strength, accepts, least = 1 }: InjectionRule,
  readings: readonly PassageReading[],
): FindingPlace | undefined {
  let count = 0;
  let first: FindingPlace | undefined;
  for (const { field, words, disguise, spanOf: span } of readings) {
    if (disguise && strength === 'weak') continue;
    for (const pattern of patterns) {
      for (const { 0: piece, index } of matchesOf(words.text, pattern)) {
        const around = () => words.text.slice(Math.max(0, index - AROUND), index + piece.length + AROUND);
        if (accepts?.(piece, around) === false) continue;
        if (least > 1 && isSaidInBody(field, words.text, readings)) break;
        first ??= { field, line: words.lineOf(index), ...span?.(index, index + piece.length) };
        if (++count >= least) return first;
      }
    }
  }
  return undefined;
}

/** Whether a field only repeats what the body says, as the name does that is suggested for a sentence. */
function isSaidInBody(field: string, text: string, readings: readonly PassageReading[]): boolean {
  return field !== 'body' && readings.some((other) => other.field === 'body' && other.words.text.includes(text.trim()));
}

function padded(line: string): string {
  return fileWith({}, `A line of text before the one that matters.\n${line}`);
}
