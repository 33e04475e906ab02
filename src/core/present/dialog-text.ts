import type { Finding } from '../finding.ts';
import type { Memory } from '../memory/memory.ts';
import { columnsOf, wrap } from '../text/display-width.ts';
import { joinText, type SafeText, sanitize, text, type Untrusted, visible } from '../text/safe-text.ts';
import { BETWEEN, type LABELS, NEW_LINE, withMarks } from './dialog-marks.ts';

type Label = (typeof LABELS)[number];

/** What the narrowest known dialog displays under its first line. Anything beyond was not shown. */
export const DIALOG = { lines: 3, columns: 74 } as const;
/** At most 4 dialogs for one text, because a person who answers the last has to remember the first. */
export const MOST_DIALOGS = 4;

/** Spaces that look like something else: several in a row, at an edge, of another width, tabs. */
const UNSEEN_SPACE = /^ | $| {2}|(?! )[\p{Zs}\t]/u;
/** A line without a letter or digit can be a rule or part of a table to a client that renders markdown. */
const WORDLESS = /^[^\p{L}\p{N}]*$/u;

/** A verified memory that cannot hold together with the one that is asked about. */
interface ContradictedMemory {
  readonly id: string;
  readonly memory: Memory;
}

/** What a dialog shows besides the memory. */
interface Beside {
  readonly contradicts?: ContradictedMemory | undefined;
  readonly findings: readonly Finding[];
  /** Whose words the text has. */
  readonly wording?: string | undefined;
  /** The agent's reason for asking. */
  readonly reason?: string | undefined;
  /** Settings looser than the defaults, in words. */
  readonly looser: readonly string[];
}

/**
 * Everything a yes covers, in the few lines a dialog shows, or in up to `most` dialogs that are shown one after the other.
 * Undefined if it does not fit, or if two different texts would look alike. Wrapped here, because the dialog cuts long
 * lines. Hidden characters, look-alikes and rendered markdown are made visible.
 */
export function dialogTexts(
  question: SafeText,
  memory: Memory,
  beside: Beside,
  most = 1,
): readonly SafeText[] | undefined {
  // The digest covers the id too. Its first word is the type, which the checks see to.
  const id = question.toString().includes(memory.id) ? [] : [part('id', memory.id)];
  const parts = [...id, ...partsOf(memory, beside, most)];
  if (parts.some((part) => part === undefined)) return undefined;
  const lines = wrap(parts.join(` ${BETWEEN} `), DIALOG.columns);
  const count = Math.ceil((lines?.length ?? 0) / DIALOG.lines);
  if (lines === undefined || count > most || lines.some((line) => WORDLESS.test(line))) return undefined;
  const dialogs = Array.from({ length: count }, (_, n) => {
    const first = count === 1 ? question : text`${question} Part ${n + 1} of ${count}.`;
    const shown = lines.slice(n * DIALOG.lines, (n + 1) * DIALOG.lines);
    return joinText([first, ...shown.map((line) => sanitize(line, 'body'))], text`\n`);
  });
  return dialogs.every((dialog) => columnsOf(dialog.toString().split('\n')[0] ?? '') <= DIALOG.columns)
    ? dialogs
    : undefined;
}

/** Each part after its label. */
function partsOf(memory: Memory, { contradicts, findings, wording, reason, looser }: Beside, most: number) {
  const longest = most * DIALOG.lines * DIALOG.columns;
  const labelled = (label: Label, stored: Untrusted | string) => withLabel(label, stored, longest);
  const shown = findings.filter((f) => f.severity !== 'info').map((f) => f.message);
  return [
    ...fieldsOf(memory).map(([label, stored]) => labelled(label, stored)),
    ...(contradicts === undefined
      ? []
      : [
          part('contradicts', `${contradicts.id}, verified`),
          ...fieldsOf(contradicts.memory).map(([label, stored]) => labelled(`old ${label}`, stored)),
        ]),
    ...(wording === undefined ? [] : [part('wording', wording)]),
    ...(reason === undefined ? [] : [labelled('the agent says', reason)]),
    ...[...new Set(shown)].map((message) => part('finding', message)),
    ...looser.map((setting) => part('setting', setting)),
  ];
}

/** Everything the digest covers besides id and type, each field with its label. */
function fieldsOf({ name, description, tags, project, anchors, body }: Memory) {
  return [
    ['name', name],
    ['description', description],
    ...(tags ?? []).map((tag) => ['tag', tag] as const),
    ...(project === null ? [] : [['project', project] as const]),
    ...(anchors ?? []).flatMap((anchor) =>
      anchor.map((each, i) => [i === 0 ? 'anchor' : 'anchor text', each] as const),
    ),
    ['text', body],
  ] as const;
}

/** Undefined if it is longer than all dialogs, because marking it would be wasted work. */
function withLabel(label: Label, stored: Untrusted | string, longest: number): string | undefined {
  const shown = visible(stored, 'body').toString().trim();
  if (columnsOf(shown) > longest) return undefined;
  const lines = shown.split('\n');
  if (lines.some((line) => UNSEEN_SPACE.test(line))) return undefined;
  return part(label, lines.map(withMarks).join(` ${NEW_LINE} `));
}

function part(label: Label, words: string): string {
  return `${label}: ${words}`;
}
