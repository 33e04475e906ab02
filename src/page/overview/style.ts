import { html } from '../markup.ts';

/** What the overview adds to the page's style: a list and a memory side by side, each scrolling by itself. */
export const OVERVIEW_CSS = html`
body.overview { display: grid; grid-template-rows: auto auto 1fr; height: 100dvh; overflow: hidden; }
.overview .top { max-width: none; margin: 0; padding: .6rem 1.25rem; gap: .75rem; align-items: center; border-bottom: 1px solid var(--line); background: var(--sheet); }
.overview search { position: relative; flex: 1 1 auto; max-width: 34rem; margin: 0 auto; }
.overview search input { margin: 0; padding: .45rem 2.4rem .45rem .9rem; border-radius: 99px; font: .95rem/1.4 var(--sans); border-color: var(--line); background: var(--paper); }
.overview search input::placeholder { color: var(--quiet); opacity: 1; }
.overview search kbd { position: absolute; right: .6rem; top: 50%; transform: translateY(-50%); color: var(--quiet); pointer-events: none; }
.overview search input:focus + kbd { visibility: hidden; }
.live { font-size: .85rem; color: var(--quiet); min-width: 3.2rem; }
.live:not(:empty)::before { content: ''; display: inline-block; width: .5rem; height: .5rem; border-radius: 99px; background: var(--verified); margin-right: .4rem; }
button.small { font-size: .85rem; padding: .25rem .7rem; min-height: 2rem; border-radius: 6px; }

#notices { max-height: 11rem; overflow-y: auto; grid-row: 2; }
#notices .syncs { margin: 0; border-radius: 0; padding: .5rem 1.25rem; font-size: .92rem; display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: baseline; }
#notices .tally { margin: 0; flex: 1 1 20rem; } #notices p { margin: 0; }
.split { grid-row: 3; display: grid; grid-template-columns: minmax(19rem, 25rem) 1fr; min-height: 0; }
.side { display: flex; flex-direction: column; min-height: 0; border-right: 1px solid var(--line); background: var(--paper); }
.shows { display: flex; flex-wrap: wrap; gap: .3rem; padding: .75rem .75rem .5rem; }
.shows button { min-height: 2rem; padding: .2rem .6rem; font-size: .85rem; border-radius: 99px; }
.shows button[aria-pressed=true] { background: var(--ink); border-color: var(--ink); color: var(--paper); }
.count { font-variant-numeric: tabular-nums; opacity: .8; }
.filters { padding: 0 .9rem .35rem; }
.filters summary { font-size: .85rem; padding: .2rem 0; }
.filters form { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem .75rem; padding: .4rem 0 .5rem; }
.filters label { font-size: .8rem; font-weight: 500; color: var(--quiet); }
.filters select { width: 100%; min-width: 0; margin-top: .15rem; padding: .3rem .4rem; font-size: .85rem; }
.side .tally { margin: 0; padding: 0 .9rem .4rem; font-size: .82rem; }
.list { flex: 1 1 auto; overflow-y: auto; min-height: 0; position: relative; border-top: 1px solid var(--line); overscroll-behavior: contain; contain: strict; }
.list:focus-visible { outline-offset: -3px; }
#rows { position: relative; z-index: -1; }
.row {
  position: absolute; top: 0; left: 0; right: 0; height: 62px; padding: .55rem .9rem; cursor: pointer;
  display: grid; grid-template-columns: 1fr auto; grid-template-rows: auto auto; column-gap: .75rem; align-content: center;
  border-bottom: 1px solid var(--line); border-left: 3px solid transparent; contain: strict;
}
.row:hover { background: var(--sheet); }
.row[aria-selected=true] { background: var(--sheet); border-left-color: var(--verified); box-shadow: inset 0 0 0 1px var(--line); }
.row .name { font-weight: 600; font-size: .95rem; line-height: 1.35; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.row .meta { grid-row: 2; font-size: .82rem; line-height: 1.4; color: var(--quiet); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.row .meta > * + *::before { content: ' · '; }
.row .end { grid-row: 1 / span 2; grid-column: 2; display: grid; justify-items: end; align-content: center; gap: .15rem; font-size: .78rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.row .why { border: 1px solid var(--rule); color: var(--ink); border-radius: 99px; padding: 0 .5rem; }
.row .state { color: var(--verified); max-width: 9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row mark { text-decoration: none; font-weight: 600; background: var(--warn); color: var(--ink); }
.none { padding: 2.5rem 1.5rem; color: var(--quiet); }

.overview main { max-width: none; margin: 0; padding: 0; overflow-y: auto; min-height: 0; scroll-padding-bottom: 8rem; }
.overview main:focus { outline: none; }
#sheet, .overview main > .said { max-width: 52rem; margin: 0 auto; padding-left: 2rem; padding-right: 2rem; }
.overview main > .said { max-width: 48rem; margin-top: 1.25rem; padding: .7rem 1rem; }
#sheet .kicker { margin-top: 1.75rem; }
#sheet .id { margin-bottom: 1.1rem; font-size: .9rem; }
#sheet section h2 { margin-top: 1.9rem; }
#sheet .empty { padding: 22vh 0 0; text-align: center; }
#loading { padding-top: 2rem; }
main.waits #sheet { opacity: .45; }
#sheet .bar > .choices { margin-left: -2rem; margin-right: -2rem; padding: .75rem 2rem; background: var(--paper); border-top: 1px solid var(--line); border-image: none; z-index: 1; }
#sheet .bar > .choices button { min-height: 2.5rem; padding: .4rem .8rem; }
#sheet .writing { margin-bottom: 2rem; }
.reason input { max-width: 30rem; }
.back { display: none; }

.md-sign { color: var(--quiet); font-weight: 400; font-style: normal; }
.md-heading { font-weight: 600; font-size: 1.15em; line-height: 1.35; margin-top: .4em !important; }
.md-item { padding-left: 1.4em; text-indent: -1.4em; }
.md-quote { border-left: 3px solid var(--rule); padding-left: .8em; color: var(--quiet); }
.md-code { font: .88em/1.55 var(--mono); background: var(--paper); padding: 0 .8em; }
.md-table { font: .88em/1.55 var(--mono); }
.md-strong { font-weight: 700; } .md-em { font-style: italic; } .md-struck { text-decoration: line-through; } .md-link { font-weight: 500; }
span.md-code { font: .88em var(--mono); background: var(--paper); border-radius: 4px; padding: .05em .3em; }
.md-address, span.md-address { all: unset; color: var(--focus); text-indent: 0; text-decoration: underline dotted; text-underline-offset: 3px; overflow-wrap: anywhere; }
button.md-address { cursor: pointer; } button.md-address:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.raw .body { font: .92rem/1.6 var(--mono); }
.raw .line, .raw .line span, .raw .line button { font: inherit; color: inherit; background: none; border: 0; padding: 0; margin: 0 !important; text-indent: 0; text-decoration: none; }

.alike li { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .6rem; }
.events { list-style: none; margin: 0; padding: 0 0 0 1.1rem; border-left: 2px solid var(--line); display: grid; gap: .45rem; font-size: .92rem; }
.events li { position: relative; }
.events li::before { content: ''; position: absolute; left: calc(-1.1rem - 6px); top: .5em; width: 10px; height: 10px; border-radius: 99px; background: var(--rule); box-shadow: 0 0 0 3px var(--paper); }
.events .verified::before { background: var(--verified); } .events .inferred::before { background: var(--inferred); } .events .quarantined::before { background: var(--quarantined); } .events .used::before { background: var(--focus); }
.events time { color: var(--quiet); font-variant-numeric: tabular-nums; margin-right: .4rem; }
.events b { font-weight: 600; }

/* Over the list, because beside the memory it would cover its answers. */
.toast { position: fixed; left: 1rem; bottom: 1rem; z-index: 3; display: flex; align-items: center; justify-content: space-between; gap: .75rem; width: 23rem; max-width: calc(100vw - 2rem); padding: .55rem .6rem .55rem 1rem; font-size: .92rem; background: var(--ink); color: var(--paper); border-radius: 10px; box-shadow: 0 8px 30px -8px rgb(0 0 0 / .45); overflow: hidden; }
.toast[hidden] { display: none; }
.toast .before { display: block; font-size: .85rem; }
.toast .small { background: transparent; color: inherit; border-color: currentColor; white-space: nowrap; }
.toast .clock { position: absolute; left: 0; bottom: 0; height: 3px; width: 100%; background: var(--rule); transform-origin: left; transform: scaleX(0); }
.toast.runs .clock { animation: runs 5s linear; }
@keyframes runs { from { transform: scaleX(1); } to { transform: scaleX(0); } }

dialog { max-width: min(70rem, calc(100vw - 2rem)); max-height: calc(100dvh - 3rem); overflow: auto; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 1.75rem 1.5rem; box-shadow: 0 20px 60px -20px rgb(0 0 0 / .5); }
dialog::backdrop { background: rgb(0 0 0 / .35); }
dialog h2 { margin-top: .25rem; } dialog form { margin-top: 1.25rem; }
.keys { display: grid; gap: .4rem; margin: 0; } .keys > div { display: grid; grid-template-columns: 3.5rem 1fr; align-items: baseline; }
.keys dt { color: var(--ink); }
#leave-link { font-family: var(--mono); font-size: .9rem; color: var(--focus); overflow-wrap: anywhere; }
.overview #gone { max-width: 46rem; margin: 0 auto; padding: 3rem 2rem; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 1.25rem; margin: 1.25rem 0 3rem; }
#sheet > h1 { margin-top: 1.75rem; }
.chart { margin: 0; padding: 1rem 1.1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; min-width: 0; }
.chart figcaption { font-weight: 600; font-size: .95rem; margin-bottom: .5rem; }
.chart svg { display: block; width: 100%; max-width: 34rem; height: auto; overflow: visible; }
.chart svg text { font: 12.5px var(--sans); fill: var(--quiet); font-variant-numeric: tabular-nums; }
.chart svg .sum { fill: var(--ink); } .chart .grid { stroke: var(--line); }
.chart summary { font-size: .85rem; margin-top: .6rem; color: var(--quiet); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem .9rem; margin: 0 0 .6rem; padding: 0; font-size: .85rem; }
.swatch { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; margin-right: .4rem; border: 1px solid transparent; }
.part-0 { fill: var(--c0); } .part-1 { fill: var(--c1); } .part-2 { fill: var(--c2); } .part-3 { fill: var(--c3); }
.swatch.part-0 { background: var(--c0); } .swatch.part-1 { background: var(--c1); } .swatch.part-2 { background: var(--c2); } .swatch.part-3 { background: var(--c3); }
.chart { --c0: #2f6db5; --c1: #c77d1a; --c2: #5f8f3a; --c3: #9a58b5; }
.chart.tiers, .chart.used, .chart.stale { --c0: var(--verified); --c1: var(--inferred); --c2: var(--quarantined); }
.chart.answers { --c0: var(--verified); --c1: var(--quarantined); }
.chart.waiting { --c0: #c9b27c; --c1: #c58f33; --c2: #a9641c; --c3: #7c3a14; }
.scrolls { overflow: auto; max-height: 18rem; margin-top: .4rem; }
.chart table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; width: 100%; }
.chart th { text-align: left; font-weight: 500; } .chart td, .chart thead th + th { text-align: right; }
.chart th, .chart td { padding: .2rem .5rem .2rem 0; border-bottom: 1px solid var(--line); }
@media (prefers-color-scheme: dark) {
  .chart { --c0: #7aaef0; --c1: #e3a455; --c2: #9acb74; --c3: #cf9be6; }
  .chart.waiting { --c0: #6b5426; --c1: #a3762d; --c2: #d99a3c; --c3: #f4c987; }
}

@media (max-width: 45rem) {
  .overview .top { flex-wrap: wrap; padding: .5rem .75rem; gap: .5rem; }
  .overview .wordmark { flex: 1 1 auto; } .overview search { order: 5; flex-basis: 100%; max-width: none; }
  .live { min-width: 0; }
  .split { grid-template-columns: 1fr; }
  .overview main { display: none; } .reading .side { display: none; } .reading main { display: block; }
  .back { display: block; margin: .75rem 1rem 0; }
  #sheet, .overview main > .said { padding-left: 1rem; padding-right: 1rem; }
  .overview main > .said { margin: .75rem 1rem 0; }
  #sheet .kicker { margin-top: 1rem; }
  #sheet .bar > .choices { margin-left: -1rem; margin-right: -1rem; padding: .5rem 1rem calc(.5rem + env(safe-area-inset-bottom)); }
  .toast { right: 1rem; bottom: 11.5rem; width: auto; }
}
@media (forced-colors: active) {
  .row[aria-selected=true] { outline: 2px solid Highlight; outline-offset: -2px; }
  .shows button[aria-pressed=true] { forced-color-adjust: none; background: Highlight; color: HighlightText; border: 3px solid HighlightText; }
  .chart rect, .swatch { forced-color-adjust: none; } .chart rect { stroke: Canvas; } .chart svg text { fill: CanvasText; }
  .toast { border: 2px solid; } .events li::before { border: 2px solid; } .row mark { text-decoration: underline; }
}
@media (prefers-reduced-motion: reduce) { .toast.runs .clock { animation: none; transform: none; } }
`;
