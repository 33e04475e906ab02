import { examinePoints } from './sanitize.ts';

const CARRIER = /[\u{E0020}-\u{E007E}\p{Variation_Selector}]/v;

/**
 * What tag characters and variation selectors spell, for the checks; '' if nothing. All of one sort form one message,
 * because it may be spread over many words. Kept ideographic selectors are read too: one byte per ideograph is a hidden
 * channel. The selectors that real names use decode to control characters, which are dropped.
 */
export function hiddenText(raw: string): string {
  if (!CARRIER.test(raw)) return '';
  const { points, removed } = examinePoints(raw, 'body');
  // Whatever else is among these decodes to nothing. The tags of a flag that stays are below the first selector here.
  const found: { readonly codePoint: number; readonly at: number }[] = [...removed];
  for (const { char, at } of points) {
    const codePoint = char.codePointAt(0) ?? 0;
    if (codePoint >= 0xe0100) found.push({ codePoint, at });
  }
  const codePoints = found.sort((a, b) => a.at - b.at).map(({ codePoint }) => codePoint);
  return [decodeTags(codePoints), decodeSelectors(codePoints)].filter((message) => message !== '').join('\n');
}

/** Tag characters mirror ASCII. */
export function decodeTags(codePoints: readonly number[]): string {
  const ascii = codePoints.filter((codePoint) => codePoint >= 0xe0020 && codePoint <= 0xe007e);
  return ascii.map((codePoint) => String.fromCodePoint(codePoint - 0xe0000)).join('');
}

/**
 * The 256 selectors stand for 256 bytes, read as UTF-8. A lone emoji selector decodes to a control character, which is
 * dropped.
 */
export function decodeSelectors(codePoints: readonly number[]): string {
  const bytes: number[] = [];
  for (const codePoint of codePoints) {
    if (codePoint >= 0xfe00 && codePoint <= 0xfe0f) bytes.push(codePoint - 0xfe00);
    else if (codePoint >= 0xe0100 && codePoint <= 0xe01ef) bytes.push(codePoint - 0xe0100 + 16);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes)).replaceAll(/[\p{Cc}--[\t\n]]/gv, '');
}
