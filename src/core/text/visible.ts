import { type Point, type Removed, type RemovedKind, type Shape, separable } from './code-points.ts';
import { decodeSelectors, decodeTags } from './hidden-message.ts';
import { examine, examinePoints } from './sanitize.ts';

const NAMES: Readonly<Record<RemovedKind, string>> = {
  control: 'control character',
  bidi: 'bidi control',
  'zero-width': 'zero-width character',
  tag: 'tag character',
  'variation-selector': 'variation selector',
  blank: 'blank letter',
  'private-use': 'private-use character',
  noncharacter: 'noncharacter',
  surrogate: 'lone surrogate',
  interlinear: 'annotation character',
  'combining-flood': 'combining mark',
  ignorable: 'ignorable character',
  format: 'format character',
  'line-break': 'line break',
};

/** At most 4 characters are named one by one; more are counted. */
const FEW = 4;

/** Brackets that look like a marker's ⟨ and ⟩. The text's own are shown as ‹ and ›, so only markers have these. */
const OPENING = /[\u2329\u276C\u2770\u27E8\u2991\u29FC\u3008\uFE3F]/gv;
const CLOSING = /[\u232A\u276D\u2771\u27E9\u2992\u29FD\u3009\uFE40]/gv;

/** Drawn through a letter: a person sees a crossed-out letter, a model reads the letter. */
const STROKE = /[\u0334-\u0338\u20D2\u20D3\u20D8-\u20DA\u20E0\u20E5\u20E6\u20EA\u20EB]/gv;

/**
 * The clean text with markers. A marker stands where something was removed, before the next character that can stand alone.
 * Another follows struck-out letters and spells them.
 */
export function markRemovals(raw: string, shape: Shape): string {
  const { points, removed } = examinePoints(raw, shape);
  const shown: string[] = [];
  let waiting = 0;
  let struck: string | undefined;
  for (const { chars, at } of wholes(points)) {
    const from = waiting;
    while (waiting < removed.length && (removed[waiting] as Removed).at <= at) waiting++;
    const letters = chars.replaceAll(STROKE, '');
    if (waiting > from || letters === chars) {
      shown.push(struckOut(struck));
      struck = undefined;
    }
    shown.push(markers(removed.slice(from, waiting)), disarm(chars));
    if (letters !== chars) struck = (struck ?? '') + letters;
  }
  shown.push(struckOut(struck), markers(removed.slice(waiting)));
  return examine(shown.join(''), shape).text;
}

/** Characters with everything attached to them, so that no marker comes in between. */
function* wholes(points: readonly Point[]): Generator<{ chars: string; at: number }> {
  let [chars, previous, first] = ['', '', 0];
  for (const { char, at } of points) {
    if (chars !== '' && separable(previous, char)) {
      yield { chars, at: first };
      chars = '';
    }
    if (chars === '') first = at;
    chars += char;
    previous = char;
  }
  if (chars !== '') yield { chars, at: first };
}

function struckOut(letters: string | undefined): string {
  return letters === undefined ? '' : `⟨struck out: "${disarm(examine(letters, 'line').text)}"⟩`;
}

function disarm(text: string): string {
  return text.replaceAll(OPENING, '‹').replaceAll(CLOSING, '›');
}

/** One marker for neighbours of one kind. */
function markers(removed: readonly Removed[]): string {
  const runs: Removed[][] = [];
  for (const item of removed) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last?.kind === item.kind && last.at + 1 >= item.at) run.push(item);
    else runs.push([item]);
  }
  return runs.map(marker).join('');
}

function marker(run: readonly Removed[]): string {
  const { kind } = run[0] as Removed;
  const counted = run.length === 1 ? NAMES[kind] : `${run.length} ${NAMES[kind]}s`;
  const spelled = spelledBy(run);
  if (spelled !== '') return `⟨${counted}: "${spelled}"⟩`;
  if (kind === 'line-break' || run.length > FEW) return `⟨${counted}⟩`;
  return `⟨${run.map(({ codePoint }) => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')}⟩`;
}

/**
 * What tags or selectors spell; '' for any other kind. The message is hostile too: it is sanitized, put on one line and
 * loses its brackets.
 */
function spelledBy(run: readonly Removed[]): string {
  const codePoints = run.map(({ codePoint }) => codePoint);
  return disarm(examine(decodeTags(codePoints) + decodeSelectors(codePoints), 'line').text);
}
