/** `matchAll` where there is a match: it copies the pattern first, which takes longer than finding none in an ordinary text. */
export function matchesOf(text: string, pattern: RegExp): Iterable<RegExpExecArray> {
  return text.search(pattern) === -1 ? [] : text.matchAll(pattern);
}
