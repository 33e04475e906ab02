import type { Chart } from '../../actions/report/charts.ts';
import { columnsOf } from '../../core/text/display-width.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import type { TerminalLine } from './line.ts';
import { windowSize } from './print.ts';

const HEIGHTS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const WIDTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;
/** At most 40 columns, also where nothing says how wide the window is. */
const LONGEST_BAR = 40;

/** A chart in block characters: over time one row of columns for each part, else one bar for each point. */
export function chartLines(chart: Chart): TerminalLine[] {
  const { title, points, nothing } = chart;
  const heading: TerminalLine = [['strong', words(title)]];
  if (points.length === 0) return [heading, [['label', words(`  ${nothing}`)]]];
  return [heading, ...(chart.kind === 'over-time' ? overTime(chart) : sideBySide(chart))];
}

function overTime({ parts, points }: Chart): TerminalLine[] {
  const most = Math.max(1, ...points.flatMap(({ values }) => values));
  const wide = Math.max(...parts.map((name) => name.length));
  const [first, last] = [points[0], points.at(-1)];
  return [
    ...parts.map((name, part): TerminalLine => {
      const values = points.map(({ values }) => values[part] ?? 0);
      // A value that is not zero never looks like zero.
      const blocks = values.map((value) => HEIGHTS[value === 0 ? 0 : Math.max(1, Math.round((value / most) * 8))]);
      return [
        words(`  ${name.padEnd(wide)} ${blocks.join('')}  ${values.at(-1)} at the end, at most ${Math.max(...values)}`),
      ];
    }),
    [['label', text`  ${words(' '.repeat(wide))} ${first?.label ?? text``} to ${last?.label ?? text``}`]],
  ];
}

function sideBySide({ parts, points }: Chart): TerminalLine[] {
  const sums = points.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(1, ...sums);
  const wide = Math.max(...points.map(({ label }) => columnsOf(label.toString())));
  const room = Math.max(8, Math.min(LONGEST_BAR, windowSize().width - wide - 12));
  return points.flatMap(({ label, values }, at): TerminalLine[] => {
    const sum = sums[at] ?? 0;
    const eighths = sum === 0 ? 0 : Math.max(1, Math.round((sum / most) * room * 8));
    const bar = '█'.repeat(Math.floor(eighths / 8)) + (WIDTHS[eighths % 8] ?? '');
    const gap = words(' '.repeat(wide - columnsOf(label.toString())));
    const which = parts.flatMap((name, i) => (values[i] ? `${values[i]} ${name}` : []));
    const line: TerminalLine = [text`  ${label}${gap} ${words(bar === '' ? `${sum}` : `${bar} ${sum}`)}`];
    return parts.length === 1 || sum === 0
      ? [line]
      : [line, [['label', words(`  ${' '.repeat(wide)} ${which.join(', ')}`)]]];
  });
}

/** As a body, because a line would lose its spaces. */
function words(ours: string): SafeText {
  return sanitize(ours, 'body');
}
