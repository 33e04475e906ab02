import type { Fact } from '../../actions/review/case-facts.ts';
import type { Against } from '../../actions/review/review.ts';
import type { OnScreen, ShownContent } from '../../actions/review/shown.ts';
import type { Finding } from '../../core/finding.ts';
import { whyStanding } from '../../core/ledger/standing.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { type Highlight, highlightOf, highlightsIn } from '../../core/present/highlights.ts';
import { compare, differs, onlyChanges } from '../../core/text/diff.ts';
import { columnsOf } from '../../core/text/display-width.ts';
import { joinText, type SafeText, sanitize, text, type Untrusted, visible } from '../../core/text/safe-text.ts';
import { SEVERITY_STYLES, type Style, type TerminalLine, TIER_STYLES } from '../terminal/line.ts';
import { PREFIX, quote, quoteMarked, wrapped } from '../terminal/quote.ts';

/** Everything that must be on the screen when a person answers. */
export interface SheetContent extends OnScreen {
  readonly facts: readonly Fact[];
  readonly against?: Against | undefined;
  /** The memory that it is shown beside, where one answer is about both. */
  readonly rival?: OnScreen | undefined;
}

export function plainLines(sentences: readonly string[], width: number): TerminalLine[] {
  return sentences.flatMap((sentence) => wrapped(sanitize(sentence, 'body'), width).map((row) => [row]));
}

const LABEL = 12;

/** Lays out the sheet. The most important lines come last, next to the question. */
export function linesOf(sheet: SheetContent, width: number): TerminalLine[] {
  const { id, content, standing, facts, findings, against } = sheet;
  const stands = standing === 'new' ? 'new, not stored yet' : `${standing.tier}: ${whyStanding(standing)}`;
  const memory = 'memory' in content ? (content.masked ?? content.memory) : undefined;
  return [
    ...ours('id', id, width, 'strong'),
    ...('file' in content && !content.isNowhere ? whole('whole file', visible(content.file, 'body'), width) : []),
    ...(memory === undefined || 'file' in content ? [] : memoryLines(memory, content.memory, findings, width)),
    ...(memory === undefined || against === undefined ? [] : difference(against, memory, width)),
    ...facts.flatMap((fact, i) => factLines(fact, fact.label === facts[i - 1]?.label, width)),
    // Without a text there is nothing that could have changed or be vouched for.
    ...('file' in content && content.isNowhere
      ? []
      : ours('standing', stands, width, standing === 'new' ? undefined : TIER_STYLES[standing.tier])),
    ...findings.flatMap((finding) => {
      const { severity, message } = finding;
      return ours(
        severity,
        `${message} (${placeOf(finding, findings, content, memory)})`,
        width,
        SEVERITY_STYLES[severity],
      );
    }),
  ];
}

/** A label is printed once for consecutive facts that share it. */
function factLines(fact: Fact, isRepeated: boolean, width: number): TerminalLine[] {
  const label = isRepeated ? '' : fact.label;
  if ('ours' in fact) return ours(label, fact.ours, width);
  if ('quoted' in fact) return field(label, [fact.quoted], width);
  const { id, standing, shown } = fact.other;
  const description = shown === undefined ? [] : [visible(shown.description, 'line')];
  return [
    ...ours(label, `${id}, ${standing.tier}`, width, TIER_STYLES[standing.tier]),
    ...field('', description, width),
  ];
}

/** Findings refer to places in `stored`, the memory without anything hidden. */
function memoryLines(memory: Memory, stored: Memory, findings: readonly Finding[], width: number): TerminalLine[] {
  const { type, name, description, tags, project, anchors, body } = memory;
  const line = (label: 'name' | 'description' | 'project', value: Untrusted) => {
    const shown = visible(value, 'line');
    return marked(label, shown, highlightsIn(findings, label, stored[label] ?? value, shown), width);
  };
  const trimmed = inner(visible(body, 'body'));
  return [
    ...ours('type', type, width),
    ...line('name', name),
    ...line('description', description),
    // Each tag gets its own line, because a tag may contain a comma.
    ...(tags === null
      ? []
      : field(
          'tags',
          tags.map((tag) => visible(tag, 'line')),
          width,
        )),
    ...(project === null ? [] : line('project', project)),
    ...(anchors ?? []).flatMap((anchor) =>
      anchor.flatMap((each, i) => field(i === 0 ? 'anchor' : ' text in it', [visible(each, 'line')], width)),
    ),
    [['label', text`body`]],
    ...quoteMarked(trimmed, width, highlightsIn(findings, 'body', stored.body, trimmed), look),
  ];
}

/** Where a finding is, as a reader counts: the lines of the body, from the first with text, and the columns of the piece. */
function placeOf(
  finding: Finding,
  findings: readonly Finding[],
  content: ShownContent,
  shown: Memory | undefined,
): string {
  const { field: where, line } = finding;
  if (shown === undefined || 'file' in content) return `${where}, line ${line}`;
  if (where !== 'name' && where !== 'description' && where !== 'project' && where !== 'body') return where;
  const [stored, value] = [content.memory[where], shown[where]];
  if (stored === null || value === null) return where;
  const seen = visible(value, where === 'body' ? 'body' : 'line');
  const highlight = highlightOf(finding, findings, stored, seen);
  if (highlight === undefined) return where;
  const before = seen.toString().slice(0, highlight.start);
  const first = highlight.start - before.lastIndexOf('\n');
  const columns = `columns ${first} to ${first + highlight.end - highlight.start - 1}`;
  return where === 'body'
    ? `body, line ${before.replace(/^\n+/, '').split('\n').length}, ${columns}`
    : `${where}, ${columns}`;
}

function look({ finding }: Highlight): Style {
  return SEVERITY_STYLES[finding.severity];
}

function inner(stored: SafeText): SafeText {
  return sanitize(stored.toString().replace(/^\n+|\n+$/g, ''), 'body');
}

function whole(label: string, stored: SafeText, width: number): TerminalLine[] {
  return [[['label', sanitize(label, 'line')]], ...quote(inner(stored), width).map((row) => [row])];
}

/** A label beside prefixed stored text. */
function field(label: string, stored: readonly SafeText[], width: number): TerminalLine[] {
  const rows = stored.flatMap((each) => quote(each, width - LABEL));
  return rows.map((row, i) => [margin(i === 0 ? label : ''), row]);
}

/** Like `field` for one text, and highlights what findings are about. */
function marked(label: string, stored: SafeText, highlights: readonly Highlight[], width: number): TerminalLine[] {
  return quoteMarked(stored, width - LABEL, highlights, look).map((row, i) => [margin(i === 0 ? label : ''), ...row]);
}

/**
 * A label beside a sentence of Surety's own. A path that has no room there goes below it, from the first column, if that keeps it in
 * one piece: people copy it.
 */
export function ours(label: string, sentence: string, width: number, style?: Style): TerminalLine[] {
  const room = width - LABEL;
  const styled = (row: SafeText) => (style === undefined ? row : ([style, row] as const));
  const path = lastPath(sentence);
  const isBelow = columnsOf(path) > room && columnsOf(path) <= width;
  const beside = isBelow ? sentence.slice(0, -path.length) : sentence;
  const rows = label === '' && beside === '' ? [] : wrapped(sanitize(beside, 'line'), room);
  const lines = rows.map((row, i): TerminalLine => [margin(i === 0 ? label : ''), styled(row)]);
  return isBelow ? [...lines, [styled(sanitize(path, 'line'))]] : lines;
}

/** The path with which a sentence ends, or nothing. No pattern looks for it, because a file can be named with backslashes and spaces. */
function lastPath(sentence: string): string {
  const words = sentence.split(' ');
  let begin = words.length;
  for (let at = begin - 1; /[/\\]/.test(words[at] ?? ''); at--)
    if (/^(?:\/|[A-Z]:\\)/.test(words[at] ?? '')) begin = at;
  return words.slice(begin).join(' ');
}

function margin(label: string): readonly [Style, SafeText] {
  return ['label', sanitize(label.padEnd(LABEL), 'body')];
}

/** How a line of a difference is shown. */
export const SIDES: Record<'both' | 'old' | 'new', readonly [mark: SafeText, style: Style]> = {
  both: [text`  `, 'label'],
  old: [text`- `, 'danger'],
  new: [text`+ `, 'good'],
};

function difference({ memory: former, heading: words }: Against, now: Memory, width: number): TerminalLine[] {
  const compared = compare(asLines(former), asLines(now));
  const rows = (sentence: SafeText, style: Style) =>
    wrapped(sentence, width).map((row): TerminalLine => [[style, row]]);
  const heading = rows(sanitize(words, 'line'), 'label');
  if (!compared.some(differs)) {
    return [...heading, ...rows(text`only characters that do not show, such as spaces at line ends`, 'strong')];
  }
  const changes = onlyChanges(compared).flatMap((each): TerminalLine[] => {
    if (each === undefined) return [[['label', text`  …`]]];
    const [mark, style] = SIDES[each.side];
    return quote(sanitize(each.text, 'body'), width - PREFIX).map((row) => [[style, joinText([mark, row], text``)]]);
  });
  return [...heading, ...changes];
}

/** The memory as lines to compare; hidden characters are made visible, so they count as differences. */
function asLines({ name, description, tags, project, anchors, body }: Memory): string[] {
  const line = (label: string, stored: Untrusted) => `${label}: ${visible(stored, 'line')}`;
  return [
    line('name', name),
    line('description', description),
    ...(tags ?? []).map((tag) => line('tag', tag)),
    ...(project === null ? [] : [line('project', project)]),
    ...(anchors ?? []).flatMap((anchor) => anchor.map((each, i) => line(i === 0 ? 'anchor' : 'text in it', each))),
    ...visible(body, 'body').toString().replace(/\n+$/, '').split('\n'),
  ];
}
