import type { Finding } from '../finding.ts';
import { MASK } from '../secrets/detect.ts';
import { reveal, type SafeText, type Untrusted, visible } from '../text/safe-text.ts';

/** A stretch of text as it is shown that a finding is about. */
export interface Spot {
  readonly start: number;
  readonly end: number;
  readonly finding: Finding;
}

/**
 * Where in a field as it is shown its findings stand. What hides is shown as a marker and a possible secret as a mask, so
 * offsets of the stored text do not hold there: the piece is shown the same way and looked for. Nothing of it is returned;
 * what cannot be found again, such as a piece with a secret in it, has no spot.
 */
export function spotsIn(
  findings: readonly Finding[],
  field: string,
  stored: Untrusted,
  shown: SafeText,
): readonly Spot[] {
  const text = shown.toString();
  const raw = reveal(stored);
  const spots = findings
    .filter((finding) => finding.field === field)
    .flatMap((finding): Spot[] => {
      const masks = finding.class === 'secret' ? placesOf(MASK, text) : [];
      if (masks.length > 0) return masks.map((start) => ({ start, end: start + MASK.length, finding }));
      if (finding.span === undefined) return [];
      const [first, last] = finding.span;
      const shape = field === 'body' ? 'body' : 'line';
      const piece = raw.slice(first, last);
      const wanted = visible(piece, shape).toString();
      const start = wanted.trim() === '' ? undefined : placesOf(wanted, text)[placesOf(piece, raw).indexOf(first)];
      return start === undefined ? [] : [{ start, end: start + wanted.length, finding }];
    });
  return apart(spots);
}

function placesOf(piece: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) places.push(at);
  return places;
}

/** From the first to the last; of two that overlap the one that matters more stays. */
function apart(spots: readonly Spot[]): readonly Spot[] {
  const order = ['block', 'hold', 'warn', 'info'];
  const weight = ({ finding }: Spot) => order.indexOf(finding.severity);
  const kept: Spot[] = [];
  for (const spot of spots.toSorted((a, b) => weight(a) - weight(b)))
    if (!kept.some((other) => other.start < spot.end && spot.start < other.end)) kept.push(spot);
  return kept.toSorted((a, b) => a.start - b.start);
}

/** A text taken apart at its spots, or at those of them that lie in a part of it. */
export function pieces(
  text: string,
  spots: readonly Spot[],
  from = 0,
): readonly { readonly text: string; readonly spot?: Spot }[] {
  const cut: { text: string; spot?: Spot }[] = [];
  let at = 0;
  for (const spot of spots) {
    const [start, end] = [Math.max(at, spot.start - from), Math.min(text.length, spot.end - from)];
    if (start >= end) continue;
    if (start > at) cut.push({ text: text.slice(at, start) });
    cut.push({ text: text.slice(start, end), spot });
    at = end;
  }
  if (at < text.length || cut.length === 0) cut.push({ text: text.slice(at) });
  return cut;
}
