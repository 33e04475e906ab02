import { html } from './markup.ts';

/** The page’s style. It is markup, because it stands inside of each document. */
export const STYLE_CSS = html`
:root {
  color-scheme: light dark;
  --paper: #faf8f4; --sheet: #ffffff; --ink: #22252a; --quiet: #5c6169; --line: #e4dfd5; --rule: #b9ab8d;
  --verified: #17694a; --inferred: #855300; --quarantined: #a32d26;
  --hold: #fbe4df; --warn: #fbf0d2; --ins: #d8f0e0; --del: #fae0dc; --chip: #5a2a83; --chip-paper: #efe4f8;
  --focus: #1d5fd1; --button: #ffffff; --yes-ink: #ffffff;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, Inter, 'Noto Sans', sans-serif;
  --text: Charter, 'Bitstream Charter', 'Iowan Old Style', 'Source Serif 4', 'Palatino Linotype', 'Noto Serif', Georgia, serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --sheet: #1e2125; --ink: #e8e5df; --quiet: #a6abb3; --line: #33373d; --rule: #7d725b;
    --verified: #6fcf9f; --inferred: #e3b04f; --quarantined: #f28b80;
    --hold: #4a2421; --warn: #40351a; --ins: #1d4230; --del: #4c2522; --chip: #dcc2f5; --chip-paper: #3a2750;
    --focus: #86b4ff; --button: #272b30; --yes-ink: #0f1a14;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-bottom: 12rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 var(--sans); overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
}
.top, main { max-width: 46rem; margin: 0 auto; padding: 0 1.5rem; }
.top { display: flex; justify-content: space-between; align-items: baseline; padding-top: 1.5rem; }
.wordmark { font: 600 1.05rem/1 var(--text); letter-spacing: .01em; }
.wordmark::before { content: ''; display: inline-block; width: .55em; height: .55em; margin-right: .5em; background: var(--verified); transform: rotate(45deg); }
main { padding-bottom: 1rem; }
h1, .question { font: 600 clamp(1.5rem, 1.1rem + 2vw, 2.1rem)/1.2 var(--text); letter-spacing: -.01em; margin: .25rem 0 .35rem; text-wrap: balance; }
h1:focus { outline: none; }
.said + h1, #gone h1 { margin-top: 2.75rem; }
h2 { font: 600 .95rem/1.4 var(--sans); margin: 2.5rem 0 .75rem; }
code { font: .88em var(--mono); }
.kicker { margin: 2.75rem 0 0; color: var(--quiet); font-size: .95rem; }
.tier { font-weight: 600; } .kicker .tier, .alike .tier { margin-right: .35em; }
.tier.verified { color: var(--verified); } .tier.inferred { color: var(--inferred); } .tier.quarantined { color: var(--quarantined); }
.id { margin: 0 0 1.75rem; color: var(--quiet); }
#recovery-code { display: inline-block; font-size: 1.5rem; line-height: 1.6; padding: .75rem 1.25rem; border: 1px solid var(--line); border-radius: 8px; background: var(--sheet); user-select: all; }
.quiet, .where { color: var(--quiet); }
.aside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.stored {
  background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--rule);
  border-radius: 3px 8px 8px 3px; padding: 1.5rem 1.75rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 24px -16px rgb(0 0 0 / .18);
}
.fields { margin: 0; display: grid; gap: .45rem; }
.fields > div { display: grid; grid-template-columns: 6.5rem 1fr; gap: 1rem; align-items: baseline; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0; }
.stored dd, .diff dd { font-family: var(--text); }
.stored h1 { font-size: clamp(1.4rem, 1.1rem + 1.6vw, 1.9rem); margin: 0 0 1rem; }
.question { font-size: 1.2rem; margin: .35rem 0 .25rem; }
.tag { border: 1px solid var(--line); border-radius: 99px; padding: .05rem .6rem; font-size: .9rem; white-space: pre-wrap; }
h1 + .stored { margin-top: 1.25rem; }
.stored > .body { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.body { font: 1.06rem/1.7 var(--text); white-space: pre-wrap; tab-size: 4; }
.body .line { margin: 0; min-height: 1.7em; }
.noted { background: var(--warn); box-shadow: -.5rem 0 0 var(--warn), .5rem 0 0 var(--warn); }
.noted.hold, .noted.block { background: var(--hold); box-shadow: -.5rem 0 0 var(--hold), .5rem 0 0 var(--hold); }
.chip { font: .78em var(--mono); color: var(--chip); background: var(--chip-paper); border: 1px dashed currentColor; border-radius: 4px; padding: 0 .3em; margin: 0 .1em; }
mark { color: inherit; background: transparent; text-decoration: underline wavy var(--rule) 2px; text-underline-offset: 4px; border-radius: 2px; }
mark.hold, mark.block { outline: 2px solid currentColor; outline-offset: 1px; text-decoration: none; font-weight: 600; }
.mark { font: 600 .72rem/1 var(--sans); color: var(--ink); vertical-align: .25em; margin-left: .5em; padding: .15em .4em; border: 1px solid currentColor; border-radius: 99px; text-decoration: none; }

.notes { list-style: none; margin: 1.25rem 0 0; padding: 0; display: grid; gap: .6rem; font-size: .95rem; }
.notes li { display: flex; gap: .75rem; padding-left: .25rem; }
.notes b { font-weight: 600; margin-right: .3em; }
.number { flex: none; min-width: 1.5rem; height: 1.5rem; padding: 0 .25rem; border-radius: 99px; text-align: center; font: 600 .78rem/1.5rem var(--sans); background: var(--warn); }
.hold .number, .block .number { background: var(--hold); }
.hold b, .block b { color: var(--quarantined); } .warn b { color: var(--inferred); }
li:target { outline: 2px solid var(--rule); outline-offset: 4px; border-radius: 4px; }
.clear { margin: 1.25rem 0 0; font-size: .95rem; }
.clear::before { content: '✓ '; color: var(--verified); }

.diff { background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--rule); border-radius: 3px 8px 8px 3px; padding: 1.25rem 1.75rem; }
ins { background: var(--ins); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; border-radius: 2px; }
del { background: var(--del); border-radius: 2px; }
.facts { margin: 2.25rem 0 0; display: grid; gap: .35rem; font-size: .95rem; }
.facts > div { display: grid; grid-template-columns: 7.5rem 1fr; gap: 1rem; }
q, .quoted { quotes: '“' '”'; font-family: var(--text); font-style: italic; }
.past { margin-top: 1.5rem; } summary { cursor: pointer; font-weight: 600; font-size: .95rem; }
.history, .alike, .tally { margin: .75rem 0 0; padding: 0; list-style: none; font-size: .95rem; display: grid; gap: .35rem; }
.history li { display: flex; flex-wrap: wrap; gap: .15rem 1rem; }
.history time { font-variant-numeric: tabular-nums; color: var(--quiet); }

.said.none { display: none; }
.syncs { margin: 1.5rem 0 0; padding: .7rem 1rem; border-radius: 6px; border-left: 4px solid var(--inferred); background: var(--warn); }
.syncs h2 { margin: 0; } .syncs + h1 { margin-top: 2.75rem; }
.said { margin: 1.5rem 0 0; padding: .7rem 1rem; border-radius: 6px; border-left: 4px solid var(--verified); background: var(--ins); }
.said.warning { border-color: var(--inferred); background: var(--warn); }
.said.danger { border-color: var(--quarantined); background: var(--hold); }

.held { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; margin: 1.5rem 0 0; padding: .4rem .4rem .4rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--rule); border-radius: 6px; background: var(--sheet); }
.held p { margin: 0; flex: 1 1 18rem; }

.bar { display: contents; }
.reason { display: block; margin-top: 2rem; }
label { display: block; font-size: .95rem; font-weight: 600; } label .quiet { font-weight: 400; }
input, textarea, select { display: block; width: 100%; margin-top: .35rem; padding: .6rem .75rem; font: 1rem/1.5 var(--text); color: var(--ink); background: var(--sheet); border: 1px solid var(--quiet); border-radius: 6px; }
input[type=checkbox] { display: inline-block; width: auto; margin: 0 .5rem 0 0; vertical-align: -.1em; }
textarea { resize: vertical; } select { font-family: var(--sans); width: auto; min-width: 12rem; }
.writing { display: grid; gap: 1.25rem; margin: 1.75rem 0 3rem; }
.bar > .choices {
  position: sticky; bottom: 0; margin: 2.25rem -1.5rem 0; padding: .9rem 1.5rem calc(.9rem + env(safe-area-inset-bottom));
  border-image: linear-gradient(var(--line) 1px, var(--paper) 1px) fill 0 / 0 / 0 100vmax;
}
#unread { flex-basis: 100%; grid-column: 1 / -1; margin: 0; font-size: .95rem; }
.choices { display: flex; flex-wrap: wrap; gap: .5rem; }
button, .button {
  font: 500 .95rem/1.3 var(--sans); color: var(--ink); background: var(--button); cursor: pointer; text-decoration: none; display: inline-block;
  border: 1px solid var(--line); border-radius: 8px; padding: .55rem .85rem; min-height: 2.75rem; transition: border-color .12s;
}
button:hover, .button:hover { border-color: var(--quiet); }
button.yes { background: var(--verified); border-color: var(--verified); color: var(--yes-ink); }
button.yes.careful { background: var(--button); border-color: var(--verified); color: var(--verified); }
button.no { color: var(--quarantined); border-color: currentColor; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1.25rem; }
.columns .kicker { margin: 0 0 .5rem; } .columns .stored { padding: 1.25rem; } .columns .fields > div { grid-template-columns: 1fr; gap: 0; }
.columns .stored h1, .stored .name { font: 600 1.35rem/1.25 var(--text); margin: 0 0 1rem; }
main:has(.columns), body:not(.overview):has(.columns) > .top { max-width: 60rem; }
kbd { font: 600 .8em var(--mono); opacity: .85; border: 1px solid currentColor; border-radius: 4px; padding: .05em .4em; margin-right: .3em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
[hidden] { display: none; }
@media (max-width: 34rem) {
  .top, main { padding-left: 1rem; padding-right: 1rem; }
  .kicker { margin-top: 1.75rem; } .id { margin-bottom: 1.25rem; }
  .stored, .diff { padding: 1.1rem 1rem; }
  .fields > div, .facts > div { grid-template-columns: 1fr; gap: 0; }
  .bar > .choices { margin-left: -1rem; margin-right: -1rem; padding-left: 1rem; padding-right: 1rem; display: grid; grid-template-columns: 1fr 1fr; gap: .4rem; }
  button { padding: .4rem .55rem; font-size: .875rem; text-align: left; }
}
@media (max-height: 26rem) { .bar > .choices { position: static; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; scroll-behavior: auto !important; } }
@media (forced-colors: active) { .noted, ins, del, .chip, mark { outline: 1px solid; } }
`;
