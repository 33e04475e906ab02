/** How a piece of a line is drawn. `sign` is a mark of markdown itself, such as `**`. */
type MarkdownLook = 'text' | 'sign' | 'strong' | 'em' | 'code' | 'struck' | 'link' | 'address';

interface MarkdownSpan {
  readonly text: string;
  readonly look: MarkdownLook;
  /** Where an address leads, if a browser could go there. */
  readonly to?: string;
}

export interface StyledLine {
  readonly kind: 'plain' | 'heading' | 'item' | 'quote' | 'code' | 'rule' | 'table';
  readonly spans: readonly MarkdownSpan[];
}

const FENCE = /^\s{0,3}(?:```|~~~)/;
const HEADING = /^(#{1,6}\s+)(.*)$/s;
const ITEM = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)(.*)$/s;
const QUOTE = /^(\s{0,3}>\s?)(.*)$/s;
const RULE = /^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const TABLE = /^\s*\|.*\|\s*$/;

/**
 * The lines of a markdown text, with how each piece is drawn. No character is left out or added: what a person sees is the
 * text itself, and their yes covers exactly that. HTML is text, and a picture is its address.
 */
export function styledLines(lines: readonly string[]): StyledLine[] {
  let inFence = false;
  return lines.map((line): StyledLine => {
    if (FENCE.test(line)) {
      inFence = !inFence;
      return { kind: 'code', spans: [{ text: line, look: 'sign' }] };
    }
    if (inFence) return { kind: 'code', spans: [{ text: line, look: 'text' }] };
    if (RULE.test(line)) return { kind: 'rule', spans: [{ text: line, look: 'sign' }] };
    if (TABLE.test(line)) return { kind: 'table', spans: inline(line) };
    for (const [kind, form] of [
      ['heading', HEADING],
      ['item', ITEM],
      ['quote', QUOTE],
    ] as const) {
      const [, sign, rest] = form.exec(line) ?? [];
      if (sign !== undefined && rest !== undefined)
        return { kind, spans: [{ text: sign, look: 'sign' }, ...inline(rest)] };
    }
    return { kind: 'plain', spans: inline(line) };
  });
}

/** Each form begins with another character, so that no two can match at the same place but a link and its text. */
const INLINE =
  /(?<code>`[^`]+`)|(?<link>!?\[[^\][]*\]\([^\s()]*\))|(?<address>https?:\/\/[^\s<>"')\]]+)|(?<strong>\*\*[^*]+\*\*)|(?<em>(?<![\w*])\*[^*\s][^*]*\*(?![\w*])|(?<!\w)_[^_\s][^_]*_(?!\w))|(?<struck>~~[^~]+~~)/g;

function inline(text: string): MarkdownSpan[] {
  const spans: MarkdownSpan[] = [];
  let end = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(INLINE)) {
    if (index > end) spans.push({ text: text.slice(end, index), look: 'text' });
    spans.push(...spansOf(found, groups));
    end = index + found.length;
  }
  if (end < text.length) spans.push({ text: text.slice(end), look: 'text' });
  return spans;
}

function spansOf(found: string, groups: Readonly<Record<string, string | undefined>>): MarkdownSpan[] {
  if (groups.code !== undefined) return enclosed(found, 1, 'code');
  if (groups.strong !== undefined) return enclosed(found, 2, 'strong');
  if (groups.struck !== undefined) return enclosed(found, 2, 'struck');
  if (groups.em !== undefined) return enclosed(found, 1, 'em');
  if (groups.address !== undefined) return [addressOf(found)];
  const middle = found.indexOf('](');
  const opens = found.startsWith('!') ? 2 : 1;
  return [
    { text: found.slice(0, opens), look: 'sign' },
    { text: found.slice(opens, middle), look: 'link' },
    { text: '](', look: 'sign' },
    addressOf(found.slice(middle + 2, -1)),
    { text: ')', look: 'sign' },
  ].filter(({ text }) => text !== '') as MarkdownSpan[];
}

function enclosed(found: string, width: number, look: MarkdownLook): MarkdownSpan[] {
  return [
    { text: found.slice(0, width), look: 'sign' },
    { text: found.slice(width, -width), look },
    { text: found.slice(-width), look: 'sign' },
  ];
}

/** Only web addresses lead anywhere, and only those that a browser reads as they are written. */
function addressOf(text: string): MarkdownSpan {
  const url = /^https?:\/\/[!-~]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '';
  return isPlain ? { text, look: 'address', to: url.href } : { text, look: 'address' };
}
