/** Separators of a dialog. In stored text they are replaced by markers, so only the dialog has them. */
export const BETWEEN = '┃';
export const NEW_LINE = '⏎';

/** Labels of the parts. In stored text, a bar before one of these would look like the beginning of a part. */
export const LABELS = [
  'id',
  'name',
  'description',
  'tag',
  'project',
  'anchor',
  'anchor text',
  'text',
  'wording',
  'the agent says',
  'finding',
  'setting',
  'contradicts',
  'old name',
  'old description',
  'old tag',
  'old project',
  'old anchor',
  'old anchor text',
  'old text',
] as const;

/** Bars and arrows that look like the two above. */
const LOOKALIKE =
  /[\u2016\u2223\u2225\u239C\u239F\u23A2\u23A5\u23AA\u23AE\u23B8\u23B9\u23D0\u23F8\u23FD\u2502\u2503\u2506\u2507\u250A-\u254B\u254E-\u2573\u2575\u2577\u2579\u257B\u257D\u257F\u2588-\u2590\u2595\u2758-\u275A\u2980\u2AF4\u2AFC-\u2AFF\uFE31-\uFE33\uFF5C\uFFE8\u{1FB70}-\u{1FB75}\u{1FB87}-\u{1FB8B}\u{1D100}\u21A9\u21B2\u21B5\u2386\u23CE\u240A\u240D\u2424\u2936\u2B90\u2BA0\u2BA8\u2BAA]/gv;
/** Letters and full stops of some scripts that look like a bar. No text needs one between spaces. */
const ALONE =
  /(?<=^|[ \n])[\u01C0\u01C1\u04C0\u04CF\u05C0\u0627\u0964\u0965\u0F0D\u104A\u1175\u16C1\u1C3B\u2D4F\u2F01\u3021\u3163\u31D1\u4E28\uA830\uA8CE\uAA5D\uFE8D\uFFDC\u{10320}\u{11047}\u{11141}\u{111C5}\u{1D369}](?=$|[ \n])/gv;
const BEFORE_LABEL = new RegExp(`[|¦](?=\\s*(?:${LABELS.join('|')}):)`, 'giu');

/**
 * What a client that renders markdown would fetch, hide or strike out. A marker inside names it and breaks the syntax. Marks
 * that only change the look, such as emphasis, stay.
 */
const RENDERED: readonly (readonly [pattern: RegExp, marked: string])[] = [
  [/!\[/g, '!⟨image⟩['],
  // With a colon, a link's or footnote's definition, which is hidden where a line begins with it, also after `>` or `-`.
  [/\](?=[([:])/g, ']⟨link⟩'],
  [/<(?=!--)/g, '<⟨comment⟩'],
  [/<(?=[a-z/?]|!(?!--))/gi, '<⟨tag⟩'],
  [/&(?=#?\w{1,32};)/g, '&⟨entity⟩'],
  // Named, not split: a single tilde on each side strikes out too.
  [/~(?=~)|(?<=~)~|(?<=~[^~]{0,300}[^\s~])~/g, '⟨U+007E⟩'],
  [/`(?=``)/g, '`⟨code⟩'],
  [/\\(?=[a-z]{1,20}\{)/gi, '\\⟨formula⟩'],
];

/** A line of stored text for a dialog: nothing in it looks like ours, and a renderer finds nothing to act on. */
export function withMarks(line: string): string {
  const named = (char: string) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  const ours = [LOOKALIKE, ALONE, BEFORE_LABEL].reduce((said, pattern) => said.replaceAll(pattern, named), line);
  return RENDERED.reduce((said, [pattern, marked]) => said.replaceAll(pattern, marked), ours);
}
