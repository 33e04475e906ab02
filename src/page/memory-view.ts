import type { Case } from '../actions/review/review.ts';
import type { ShownContent } from '../actions/review/shown.ts';
import type { Finding } from '../core/finding.ts';
import type { Document } from '../core/memory/document.ts';
import type { Memory } from '../core/memory/memory.ts';
import { type Highlight, highlightsIn, pieces } from '../core/present/highlights.ts';
import { type StyledLine, styledLines } from '../core/present/markdown.ts';
import { compareWords } from '../core/text/diff.ts';
import { type SafeText, sanitize, type Untrusted, visible } from '../core/text/safe-text.ts';
import { html, type Markup, type MarkupPart, ours, when } from './markup.ts';

/** `styled`: markdown is drawn, as long as nothing in the text is marked. Every character shows in both. */
export type Drawn = 'raw' | 'styled';

/** A finding with the number it has in the text and in the notes. */
interface Note {
  readonly number: number;
  readonly finding: Finding;
}

/** Numbers the findings, worst first. */
export function notesOf(findings: readonly Finding[]): Note[] {
  const order = ['block', 'hold', 'warn', 'info'];
  const sorted = findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || a.line - b.line);
  return sorted.map((finding, i) => ({ number: i + 1, finding }));
}

/** Stored text as markup, with the pieces marked that findings are about. */
function highlighted(stored: string, highlights: readonly Highlight[], from = 0): Markup {
  return html`${pieces(stored, highlights, from).map(({ text, highlight }) => {
    const words = chips(sanitize(text, 'body'));
    return highlight === undefined ? words : html`<mark class="${ours(highlight.finding.severity)}">${words}</mark>`;
  })}`;
}

/** Stored text as markup. Hidden characters are shown as chips. */
export function chips(stored: SafeText): Markup {
  const parts = stored.toString().split(/(⟨[^⟩]*⟩)/u);
  return html`${parts.map((part) =>
    part.startsWith('⟨')
      ? html`<span class="chip"><span class="aside">hidden: </span>${sanitize(part.slice(1, -1), 'line')}</span>`
      : sanitize(part, 'body'),
  )}`;
}

/**
 * Everything the digest covers, framed so that it cannot pass for words of this page. Its name is the sheet's headline, and
 * within the frame, because an agent may have chosen it. `stored` is the memory before masking;
 * the findings' positions refer to it. `isBeside`: it is shown beside the one that the page asks about.
 */
export function memoryBlock(
  memory: Memory,
  stored: Memory,
  document: Document | undefined,
  notes: readonly Note[],
  drawn: Drawn = 'raw',
  isBeside = false,
): Markup {
  const { name, description, tags, project, anchors, body } = memory;
  const findings = notes.map(({ finding }) => finding);
  const line = (field: 'name' | 'description' | 'project', value: Untrusted) => {
    const shown = visible(value, 'line');
    return highlighted(shown.toString(), highlightsIn(findings, field, stored[field] ?? value, shown));
  };
  const row = (label: string, value: MarkupPart, field = label) => html`
    <div class="${ours(classOf(notesFor(notes, field)))}">
      <dt>${ours(label)}</dt>
      <dd dir="auto">${value}${marks(notesFor(notes, field))}</dd>
    </div>`;
  return html`<section class="stored" aria-label="The stored text">
    ${
      isBeside
        ? html`<p class="name" role="heading" aria-level="2" dir="auto">${line('name', name)}</p>`
        : html`<h1 class="${ours(classOf(notesFor(notes, 'name')))}" dir="auto" aria-describedby="question">${line('name', name)}${marks(notesFor(notes, 'name'))}</h1>`
    }
    <dl class="fields">
      ${row('description', line('description', description))}
      ${when(tags !== null, () =>
        row(
          'tags',
          (tags ?? []).map((tag) => html`<span class="tag">${chips(visible(tag, 'line'))}</span> `),
        ),
      )}
      ${project === null ? undefined : row('project', line('project', project))}
      ${when(anchors !== null, () =>
        row(
          'anchors',
          (anchors ?? []).map(
            ([path, ...found]) =>
              html`<div><span class="tag">${chips(visible(path ?? '', 'line'))}</span>${found.map(
                (each) => html` with the text <q>${chips(visible(each, 'line'))}</q>`,
              )}</div>`,
          ),
        ),
      )}
      ${row('type', ours(memory.type))}
    </dl>
    <div class="body" role="group" aria-label="Body">${bodyLines(body, stored.body, document, notes, drawn)}</div>
  </section>`;
}

/** A memory and the verified one that it contradicts, side by side. Only the memory itself, where it contradicts none. */
export function withRivalBeside({ rival }: Case, block: Markup, drawn: Drawn): Markup {
  if (rival?.shown === undefined) return block;
  const { id, shown, subject } = rival;
  return html`<div class="columns">
    <div class="column"><p class="kicker">the new one</p>${block}</div>
    <div class="column"><p class="kicker"><span class="tier verified">verified</span> <code>${ours(id)}</code></p>${memoryBlock(shown, shown, subject.document, [], drawn, true)}</div>
  </div>`;
}

/** Every character of the line, drawn by what markdown means with it. An address is a button: the script asks before it leads away. */
function styledLine({ kind, spans }: StyledLine): Markup {
  return html`<p class="${ours(`line md-${kind}`)}" dir="auto">${spans.map(({ text, look, to }) => {
    const words = sanitize(text, 'body');
    if (to !== undefined) return html`<button type="button" class="md-address" data-to="${ours(to)}">${words}</button>`;
    return look === 'text' ? words : html`<span class="md-${ours(look)}">${words}</span>`;
  })}</p>`;
}

/** The text of a file from which no memory can be read. */
export function fileBlock(
  { file, isNowhere }: Extract<ShownContent, { file: Untrusted }>,
  notes: readonly Note[],
): Markup {
  if (isNowhere) return html`<h1 aria-describedby="question">There is no text to show</h1>`;
  const lines = visible(file, 'body').toString().replace(/\n+$/, '').split('\n');
  return html`<h1 aria-describedby="question">A file that cannot be read as a memory</h1>
  <section class="stored" aria-label="The whole file">
    <div class="body" role="group" aria-label="File">${lines.map((each, i) =>
      lineOf(
        each,
        notes.filter(({ finding }) => finding.line === i + 1),
      ),
    )}</div>
  </section>`;
}

/**
 * Each line with its number in the file, so that findings are marked on the right line. Only LF begins a new line. If hidden
 * text was removed, line numbers may be off, and nothing is marked.
 */
function bodyLines(
  body: Untrusted,
  stored: Untrusted,
  document: Document | undefined,
  notes: readonly Note[],
  drawn: Drawn,
): Markup[] {
  const whole = visible(body, 'body');
  const shown = whole.toString();
  const findings = notes.map(({ finding }) => finding);
  const highlights = highlightsIn(findings, 'body', stored, whole);
  const lines = document?.body.split('\n').map((line) => visible(line, 'body').toString()) ?? [];
  const same = lines.join('\n') === shown;
  const all = same ? lines : shown.split('\n');
  const from = blankLinesBefore(all);
  const to = all.findLastIndex((line) => line.trim() !== '');
  const shownLines = all.slice(from, to + 1);
  const isMarked = notesFor(notes, 'body').length > 0 || highlights.length > 0 || shown.includes('⟨');
  if (drawn === 'styled' && !isMarked) return styledLines(shownLines).map(styledLine);
  let offset = all.slice(0, from).reduce((sum, line) => sum + line.length + 1, 0);
  return shownLines.map((line, i) => {
    const number = (document?.bodyLine ?? 1) + from + i;
    const here = same ? notesFor(notes, 'body').filter(({ finding }) => finding.line === number) : [];
    const marked = lineOf(line, here, highlights, offset);
    offset += line.length + 1;
    return marked;
  });
}

/** Lines of spaces are not shown either; a line with a hidden character is, also where JavaScript takes that for a space. */
function blankLinesBefore(lines: readonly string[]): number {
  return Math.max(
    0,
    lines.findIndex((line) => visible(line, 'body').toString().trim() !== ''),
  );
}

function lineOf(line: string, notes: readonly Note[], highlights: readonly Highlight[] = [], from = 0): Markup {
  return html`<p class="${ours(`line ${classOf(notes)}`)}" dir="auto">${highlighted(line, highlights, from)}${marks(notes)}</p>`;
}

function notesFor(notes: readonly Note[], field: string): readonly Note[] {
  return notes.filter(({ finding }) => finding.field === field && finding.class !== 'semantics');
}

function classOf(notes: readonly Note[]): string {
  const worst = notes.find(({ finding }) => finding.severity !== 'info')?.finding.severity;
  return worst === undefined ? '' : `noted ${worst}`;
}

function marks(notes: readonly Note[]): Markup[] {
  return notes.map(
    ({ number }) =>
      html`<a class="mark" href="#note-${number}" id="mark-${number}"><span class="aside">note </span>${number}</a>`,
  );
}

const SEVERITY: Record<Finding['severity'], string> = {
  block: 'stops it',
  hold: 'suspicious',
  warn: 'mind this',
  info: 'good to know',
};

/** Where a finding is, as a reader counts: lines of the body from the first with text. What has one line has no number. */
function placeOf(field: string, line: number, document: Document | undefined): string {
  if (field === 'file') return `file, line ${line}`;
  if (field !== 'body' || document === undefined) return field;
  const counted = line - document.bodyLine - blankLinesBefore(document.body.split('\n')) + 1;
  // A finding about the whole body has the line before it.
  return counted < 1 ? 'body' : `body, line ${counted}`;
}

/** The findings, beside the text. */
export function noteList(notes: readonly Note[], document?: Document): MarkupPart {
  if (notes.length === 0) return html`<p class="quiet clear">The checks found nothing to mention.</p>`;
  return html`<ol class="notes" aria-label="What the checks found">
    ${notes.map(
      ({
        number,
        finding: { severity, field, line, message },
      }) => html`<li id="note-${number}" class="${ours(severity)}">
        <span class="number" aria-hidden="true">${number}</span>
        <div><b>${ours(SEVERITY[severity])}</b> ${ours(message)} <span class="where">${ours(placeOf(field, line, document))}</span></div>
      </li>`,
    )}
  </ol>`;
}

const FIELDS = ['name', 'description', 'tags', 'project', 'anchors', 'body'] as const;

/** The changed fields, compared word by word. */
export function difference(former: Memory, now: Memory): MarkupPart {
  const changed = FIELDS.filter((field) => plain(former, field) !== plain(now, field));
  if (changed.length === 0)
    return html`<p class="quiet">Only characters that do not show, such as spaces at line ends.</p>`;
  return html`<dl class="fields diff">${changed.map((field) => {
    const stretches = compareWords(plain(former, field), plain(now, field));
    return html`<div><dt>${ours(field)}</dt><dd class="body" dir="auto">${stretches.map(({ side, text }) => {
      const words = chips(sanitize(text, 'body'));
      if (side === 'both') return words;
      return side === 'old'
        ? html`<del><span class="aside">[taken out: </span>${words}<span class="aside">]</span></del>`
        : html`<ins><span class="aside">[put in: </span>${words}<span class="aside">]</span></ins>`;
    })}</dd></div>`;
  })}</dl>`;
}

function plain(memory: Memory, field: (typeof FIELDS)[number]): string {
  if (field === 'body') return visible(memory.body, 'body').toString().trim();
  // One tag a line, because a tag may contain a comma.
  if (field === 'tags') return (memory.tags ?? []).map((tag) => visible(tag, 'line').toString()).join('\n');
  if (field === 'anchors') {
    const parts = (anchor: readonly Untrusted[]) =>
      anchor.map((each) => visible(each, 'line').toString()).join(' with ');
    return (memory.anchors ?? []).map(parts).join('\n');
  }
  const value = memory[field];
  return value === null ? '' : visible(value, 'line').toString();
}
