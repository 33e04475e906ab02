import { wrap } from './columns.ts';
import type { Finding } from './findings.ts';
import type { Memory } from './memory.ts';
import { joinText, type SafeText, sanitize, text, visible } from './text.ts';

/** What the narrowest known dialog displays under its first line: more than that was not shown to anybody. */
export const DIALOG = { lines: 3, columns: 74 } as const;

/**
 * Everything a yes would count for, in the few lines a dialog shows; undefined when it does not fit. Wrapped by hand,
 * because the dialog cuts long lines, and with hidden characters made visible.
 */
export function dialogText(question: SafeText, memory: Memory, findings: readonly Finding[]): SafeText | undefined {
  const lines = wrap(everythingOf(memory, findings).toString(), DIALOG.columns);
  if (lines.length > DIALOG.lines || question.length > DIALOG.columns) return undefined;
  return joinText([question, ...lines.map((line) => sanitize(line, 'body'))], text`\n`);
}

/** One running text, since every line is dear; a line break of the body is shown as ⏎. */
function everythingOf({ name, description, tags, project, body }: Memory, findings: readonly Finding[]): SafeText {
  const breaks = visible(body, 'body').toString().trim().split('\n');
  const serious = findings.filter((f) => f.severity === 'hold' || f.severity === 'block' || f.class === 'injection');
  return joinText(
    [
      text`${visible(name, 'line')}: ${visible(description, 'line')}`,
      ...(tags === null
        ? []
        : [
            joinText(
              tags.map((tag) => text`#${visible(tag, 'line')}`),
              text` `,
            ),
          ]),
      ...(project === null ? [] : [text`@${visible(project, 'line')}`]),
      joinText(
        breaks.map((line) => sanitize(line, 'line')),
        text` ⏎ `,
      ),
      ...serious.map((f) => text`(!) ${sanitize(f.message, 'line')}`),
    ],
    text` | `,
  );
}
