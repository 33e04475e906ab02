import type { Finding } from '../finding.ts';
import { MASK } from '../secrets/mask.ts';
import { reveal, type SafeText, type Untrusted, visible } from '../text/safe-text.ts';

/** A stretch of shown text that a finding is about. */
export interface Highlight {
  readonly start: number;
  readonly end: number;
  readonly finding: Finding;
}

/**
 * Where the findings of a field stand in its shown text. Offsets of the stored text do not apply there, because hidden
 * characters became markers and a possible secret a mask. So the finding's piece is converted alike and searched for. A
 * piece that cannot be found, such as one with a secret in it, gets no highlight.
 */
export function highlightsIn(
  findings: readonly Finding[],
  field: string,
  stored: Untrusted,
  shown: SafeText,
): readonly Highlight[] {
  const here = findings.filter((finding) => finding.field === field);
  return withoutOverlaps(here.flatMap((finding) => highlightsOf(finding, here, stored, shown)));
}

/** Where one of the findings stands, whatever else stands there; undefined where its place cannot be told. */
export function highlightOf(
  finding: Finding,
  findings: readonly Finding[],
  stored: Untrusted,
  shown: SafeText,
): Highlight | undefined {
  const here = findings.filter(({ field }) => field === finding.field);
  const [first, ...others] = highlightsOf(finding, here, stored, shown);
  return others.length === 0 ? first : undefined;
}

/** `findings` are all of the field: by the other secrets shows which of several masks hides this one. */
function highlightsOf(
  finding: Finding,
  findings: readonly Finding[],
  stored: Untrusted,
  shown: SafeText,
): readonly Highlight[] {
  const text = shown.toString();
  const masks = finding.class === 'secret' ? placesOf(MASK, text) : [];
  if (masks.length > 0) {
    const its = masks[maskOf(finding, findings, masks.length) ?? -1];
    return (its === undefined ? masks : [its]).map((start) => ({ start, end: start + MASK.length, finding }));
  }
  if (finding.span === undefined) return [];
  const raw = reveal(stored);
  const [first, last] = finding.span;
  const shape = finding.field === 'body' ? 'body' : 'line';
  const piece = raw.slice(first, last);
  const wanted = visible(piece, shape).toString();
  const start = wanted.trim() === '' ? undefined : placesOf(wanted, text)[placesOf(piece, raw).indexOf(first)];
  return start === undefined ? [] : [{ start, end: start + wanted.length, finding }];
}

/**
 * Which mask hides a secret, counted as `masked` writes them: what overlaps has one. Undefined unless each mask hides a finding:
 * of many secrets only some are findings, and a text may contain the words of the mask.
 */
function maskOf(wanted: Finding, findings: readonly Finding[], masks: number): number | undefined {
  const hidden = findings.flatMap((finding) => {
    const { class: of, span } = finding;
    return of === 'secret' && span !== undefined ? [{ finding, span }] : [];
  });
  let [count, from] = [0, 0];
  let its: number | undefined;
  for (const { finding, span } of hidden.toSorted((a, b) => a.span[0] - b.span[0])) {
    const [first, last] = span;
    if (last > from && first >= from) count += 1;
    from = Math.max(from, last);
    if (finding === wanted) its = count - 1;
  }
  return count === masks ? its : undefined;
}

function placesOf(piece: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) places.push(at);
  return places;
}

/** Sorted by position. Of two that overlap, the more severe one stays. */
function withoutOverlaps(highlights: readonly Highlight[]): readonly Highlight[] {
  const order = ['block', 'hold', 'warn', 'info'];
  const weight = ({ finding }: Highlight) => order.indexOf(finding.severity);
  const kept: Highlight[] = [];
  for (const highlight of highlights.toSorted((a, b) => weight(a) - weight(b)))
    if (!kept.some((other) => other.start < highlight.end && highlight.start < other.end)) kept.push(highlight);
  return kept.toSorted((a, b) => a.start - b.start);
}

/** Splits a text at its highlights. `from` is the offset of this part in the whole text. */
export function pieces(
  text: string,
  highlights: readonly Highlight[],
  from = 0,
): readonly { readonly text: string; readonly highlight?: Highlight }[] {
  const cut: { text: string; highlight?: Highlight }[] = [];
  let at = 0;
  for (const highlight of highlights) {
    const [start, end] = [Math.max(at, highlight.start - from), Math.min(text.length, highlight.end - from)];
    if (start >= end) continue;
    if (start > at) cut.push({ text: text.slice(at, start) });
    cut.push({ text: text.slice(start, end), highlight });
    at = end;
  }
  if (at < text.length || cut.length === 0) cut.push({ text: text.slice(at) });
  return cut;
}
