import type { Chart } from '../../actions/report/charts.ts';
import { html, type Markup, type MarkupPart, ours } from '../markup.ts';

/** All charts. Each is a picture with its figures in a table behind it. */
export function chartsView(charts: readonly Chart[]): Markup {
  return html`<h1>Charts</h1><p class="quiet">What is in the store, and what became of it. Counted on this machine.</p>
    <div class="charts">${charts.map(figure)}</div>`;
}

function figure(chart: Chart): Markup {
  const { id, title, parts, points, nothing } = chart;
  if (points.length === 0)
    return html`<figure class="chart"><figcaption>${ours(title)}</figcaption><p class="quiet">${ours(nothing)}</p></figure>`;
  return html`<figure class="chart ${ours(id)}"><figcaption id="chart-${ours(id)}">${ours(title)}</figcaption>
    ${parts.length > 1 ? legend(parts) : undefined}
    ${chart.kind === 'over-time' ? columns(chart) : bars(chart)}
    <details><summary>Figures</summary><div class="scrolls" tabindex="0" role="group" aria-labelledby="chart-${ours(id)}">${table(chart)}</div></details></figure>`;
}

function legend(parts: readonly string[]): Markup {
  return html`<ul class="legend">${parts.map((name, i) => html`<li><span class="swatch part-${i}" aria-hidden="true"></span>${ours(name)}</li>`)}</ul>`;
}

/** In units of about one pixel, so that the words are as large as others of the page. */
const WIDTH = 380;
const HEIGHT = 110;
/** Room for the highest figure at the left, and for dates below. */
const LEFT = 30;
const BELOW = 18;

/** One column for each point, its parts on top of each other. */
function columns({ id, points }: Chart): Markup {
  const most = Math.max(1, ...points.map(({ values }) => sumOf(values)));
  const wide = (WIDTH - LEFT) / points.length;
  const column = (values: readonly number[], at: number): MarkupPart => {
    let y = HEIGHT;
    return values.map((value, part) => {
      const high = (value / most) * HEIGHT;
      y -= high;
      return value === 0
        ? undefined
        : html`<rect class="part-${part}" x="${tenth(LEFT + at * wide + wide * 0.1)}" y="${tenth(y)}" width="${tenth(wide * 0.8)}" height="${tenth(high)}"/>`;
    });
  };
  const [first, last] = [points[0], points.at(-1)];
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT + BELOW}" role="img" aria-labelledby="chart-${ours(id)}">
    <line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="0.5" y2="0.5"/><line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/>
    <text x="${LEFT - 6}" y="10" text-anchor="end">${most}</text><text x="${LEFT - 6}" y="${HEIGHT}" text-anchor="end">0</text>
    ${points.map(({ values }, at) => column(values, at))}
    <text x="${LEFT}" y="${HEIGHT + 15}">${first?.label}</text>
    ${points.length === 1 ? undefined : html`<text x="${WIDTH}" y="${HEIGHT + 15}" text-anchor="end">${last?.label}</text>`}</svg>`;
}

const BAR = 12;
const ROW = 38;

/** One bar for each point, its parts after each other, under the point's name. */
function bars({ id, points }: Chart): Markup {
  const most = Math.max(1, ...points.map(({ values }) => sumOf(values)));
  const room = WIDTH - 44;
  const bar = (values: readonly number[], top: number): MarkupPart => {
    let x = 0;
    return values.map((value, part) => {
      const wide = (value / most) * room;
      x += wide;
      return value === 0
        ? undefined
        : html`<rect class="part-${part}" x="${tenth(x - wide)}" y="${top}" width="${tenth(wide)}" height="${BAR}"/>`;
    });
  };
  return html`<svg viewBox="0 0 ${WIDTH} ${points.length * ROW}" role="img" aria-labelledby="chart-${ours(id)}">${points.map(
    ({ label, values }, at) => html`<text x="0" y="${at * ROW + 12}">${label}</text>${bar(values, at * ROW + 18)}
      <text class="sum" x="${tenth((sumOf(values) / most) * room + 8)}" y="${at * ROW + 29}">${sumOf(values)}</text>`,
  )}</svg>`;
}

function table({ parts, points, kind }: Chart): Markup {
  return html`<table><thead><tr><th scope="col">${ours(kind === 'over-time' ? 'Until' : 'What')}</th>${parts.map((name) => html`<th scope="col">${ours(name)}</th>`)}</tr></thead>
    <tbody>${points.map(({ label, values }) => html`<tr><th scope="row">${label}</th>${values.map((value) => html`<td>${value}</td>`)}</tr>`)}</tbody></table>`;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function tenth(number: number): number {
  return Math.round(number * 10) / 10;
}
