/** At most 1,000 code points of a prompt are looked at, because what a person dictates is short and what they paste is long. */
const LONGEST_PROMPT = 1_000;
/** At most 40 sentences, because the runs of n sentences are n × (n + 1) / 2. */
const MOST_SENTENCES = 40;
/** A run of fewer than four words says too little: anybody types "yes, do that". */
const FEWEST_WORDS = 4;

const PLEASE = String.raw`(?:(?:please|bitte|por favor|s['’]il te plaît|per favore),?\s+)?`;
/** What a person writes before a text that is to be remembered. It is no part of the text. */
const REMEMBER = new RegExp(
  String.raw`^\s*${PLEASE}(?:remember|merke? dir|recuerda|retiens|ricorda|lembre-se|запомни|记住|記住|覚えておいて)\s*[:：]\s*`,
  'iu',
);
/** How a sentence begins that asks to keep what follows. What follows was typed too. */
const REMEMBER_THAT = new RegExp(
  String.raw`^\s*(?:and\s+)?${PLEASE}(?:remember that|recuerda que|retiens que|ricorda che|lembre-se (?:de )?que)\s+`,
  'iu',
);
/** The plugin's command and the server's prompt, as Claude Code has them typed. They tell the model themselves what to do. */
const COMMAND = /^\s*\/(?:surety:remember|mcp__(?:plugin_surety_)?surety__remember)\s+/;

const BLANKS = '[^\\S\\r\\n\\u2028\\u2029]*';
const BREAK = `${BLANKS}(?:\\r\\n?|[\\n\\x85\\u2028\\u2029])${BLANKS}`;
/** How a line begins that begins no sentence and is no item of a numbered list. */
const GOES_ON = '["\'`(“‘«„]?[\\p{Ll}\\p{Lo}]|\\p{Nd}+(?!\\p{Nd}|[.)]\\s)';
/** A line break inside of a sentence: after a comma, or where no sentence ends before it and none begins behind it. */
const BREAK_WITHIN = new RegExp(`(?<=[,，、])${BREAK}(?=\\S)|(?<=[^\\s.!?…:;。！？：；])${BREAK}(?=${GOES_ON})`, 'gu');

/** Whether a prompt asks for what follows to be remembered. “Remember that bug?” asks something else. */
export function asksToRemember(prompt: string): boolean {
  if (REMEMBER.test(prompt)) return true;
  const [first = ''] = REMEMBER_THAT.test(prompt) ? sentencesOf(prompt.trimStart()) : [];
  return asRun(first) !== undefined && !/[?？]\s*$/.test(first);
}

/** Every contiguous run of a prompt's sentences that has at least four words, in the form of `asRun`. Too long a prompt has none. */
export function sentenceRuns(prompt: string): string[] {
  const said = prompt.replace(COMMAND, '').replace(REMEMBER, '');
  if (said.length > 2 * LONGEST_PROMPT || [...said].length > LONGEST_PROMPT) return [];
  // Else the second line of "we never, / deploy on Fridays" would be a sentence that nobody said.
  const sentences = sentencesOf(said.replaceAll(BREAK_WITHIN, ' '));
  if (sentences.length > MOST_SENTENCES) return [];
  const runs = new Set<string>();
  for (let from = 0; from < sentences.length; from++) {
    for (let to = from + 1; to <= sentences.length; to++) {
      const text = sentences.slice(from, to).join('');
      for (const run of [asRun(text), asRun(text.replace(REMEMBER_THAT, ''))]) {
        if (run !== undefined) runs.add(run);
      }
    }
  }
  return [...runs];
}

/**
 * A text as it is compared with what a person typed: spacing, the case of its first letter and a last full stop do not count.
 * Nothing else is forgiven, so that "we deploy?" is not "we deploy". Undefined for fewer than four words.
 */
export function asRun(text: string): string | undefined {
  const [first = '', ...rest] = text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
  const run = (first.toLowerCase() + rest.join('')).replace(/[.!。！]$/u, '').trimEnd();
  return hasWords(run) ? run : undefined;
}

/** With the space behind each, which not every script has. A line is a sentence at least: lists have no full stops. */
export function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  return text
    .split(/(?<=\n)/)
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment))
    .filter((sentence) => sentence.trim() !== '');
}

function hasWords(text: string): boolean {
  let words = 0;
  for (const { isWordLike } of new Intl.Segmenter('en', { granularity: 'word' }).segment(text)) {
    if (isWordLike) words += 1;
    if (words === FEWEST_WORDS) return true;
  }
  return false;
}
