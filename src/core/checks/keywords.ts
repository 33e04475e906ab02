const BUCKETS = 8_192;
const GRAM = 3;

function bucket(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) % BUCKETS;
}

/**
 * Answers quickly that a text does not hold a keyword: there are hundreds of keywords and hardly any is there. It notes
 * which threes of letters occur, so that the text is searched only for a keyword whose first three do.
 */
export function keywordsIn(lower: string): (keyword: string) => boolean {
  const seen = new Uint8Array(BUCKETS);
  for (let at = 0; at + GRAM <= lower.length; at++) seen[bucket(lower, at)] = 1;
  return (keyword) => (keyword.length < GRAM || seen[bucket(keyword, 0)] === 1) && lower.includes(keyword);
}
