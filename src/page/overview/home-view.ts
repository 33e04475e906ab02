import type { AnswerKey } from '../../actions/review/answers.ts';
import { LONGEST_QUERY } from '../../core/memory/limits.ts';
import { FORWARD_AGAIN } from '../end-views.ts';
import { html, type Markup, ours } from '../markup.ts';
import { STYLE_CSS } from '../style.ts';
import { ROW_WORDS } from './row-json.ts';
import { OVERVIEW_CSS } from './style.ts';

/** The labels of the filters. Each value is what the script looks for in the rows. */
const SHOWS = [
  ['waiting', 'Waiting'],
  ['all', 'All'],
  ['verified', 'Verified'],
  ['inferred', 'Inferred'],
  ['quarantined', 'Quarantined'],
] as const;

const ORIGIN_WORDS: Record<(typeof ROW_WORDS.origins)[number], string> = {
  agent: 'an agent',
  import: 'an import',
  person: 'a person',
  found: 'found in the folder',
};

const MARK_WORDS: Record<(typeof ROW_WORDS.marks)[number], string> = {
  stale: 'due to be looked at again',
  changed: 'changed since vouched for',
  held: 'held back by a finding',
  declined: 'somebody said no',
  conflict: 'contradicts a verified one',
  blocked: 'blocked by a check',
  unused: 'unused by agents',
};

const SORTS = [
  ['queue', 'as in the review'],
  ['newest', 'newest first'],
  ['oldest', 'oldest first'],
  ['id', 'by id'],
] as const;

/** What each answer means in general; the button of a memory says what it means there. */
const ANSWERS: Record<Exclude<AnswerKey, 'q'>, string> = {
  y: 'yes to the text on the screen',
  a: 'these are my own words',
  n: 'no',
  b: 'keep both, of two that contradict each other',
  p: 'put the old text back',
  e: 'say it in your own words',
  s: 'skip it',
};

/** Every key and what it does, for the help. */
const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['j', 'the next memory'],
  ['k', 'the memory before'],
  ...Object.entries(ANSWERS),
  ['u', 'take the last answer back, for five seconds'],
  ['/', 'search'],
  ['c', 'charts of the whole store, and back'],
  ['r', 'raw text, without the look of markdown'],
  ['Esc', 'leave a field or a box'],
  ['?', 'these keys'],
];

function choices(name: string, label: string, options: readonly (readonly [value: string, words: string])[]): Markup {
  return html`<label>${ours(label)}<select name="${ours(name)}">${options.map(
    ([value, words]) => html`<option value="${ours(value)}">${ours(words)}</option>`,
  )}</select></label>`;
}

/** The document around the overview. It holds nothing of the store: the script fetches that with the cookie. */
export function homeView(base: string, nonce: string): Markup {
  const any = ['', 'any'] as const;
  return html`<!doctype html>
<html lang="en" data-base="${ours(base)}" data-words="${ours(JSON.stringify(ROW_WORDS))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Overview · Surety</title>
<style nonce="${ours(nonce)}">${STYLE_CSS}${OVERVIEW_CSS}</style>
<script src="${ours(base)}script.js" nonce="${ours(nonce)}" defer></script>
</head>
<body class="overview">
<header class="top"><span class="wordmark">Surety</span>
<search><label class="aside" for="q">Search as agents do</label><input id="q" type="search" placeholder="Search as your agents do" autocomplete="off" spellcheck="false" maxlength="${LONGEST_QUERY}"><kbd aria-hidden="true">/</kbd></search>
<span class="live" id="live" role="status"></span>
<button type="button" class="small" id="charts">Charts</button>
<button type="button" class="small" id="keys">Keys</button>
<button type="button" class="small" id="close">Close</button></header>
<noscript><p class="said warning">This page needs JavaScript. surety review goes through what waits in the terminal.</p></noscript>
<div id="notices"></div>
<div class="split" id="split">
<nav class="side" aria-label="Memories">
<div class="shows" id="shows" role="group" aria-label="Show">${SHOWS.map(([value, label]) => html`<button type="button" value="${ours(value)}" aria-pressed="false">${ours(label)} <span class="count"></span></button>`)}</div>
<details class="filters" id="filters"><summary>Filter and sort <span class="quiet" id="chosen"></span></summary><form id="filter-form">
${choices('type', 'Type', [any, ...ROW_WORDS.types.map((type) => [type, type] as const)])}
${choices('project', 'Project', [any])}
${choices('by', 'Brought by', [any, ...ROW_WORDS.origins.map((by) => [by, ORIGIN_WORDS[by]] as const)])}
${choices('mark', 'Marked', [any, ...ROW_WORDS.marks.map((mark) => [mark, MARK_WORDS[mark]] as const)])}
${choices('sort', 'Sort', SORTS)}
</form></details>
<p class="tally quiet" id="tally" role="status"></p>
<div class="list" id="list" role="listbox" tabindex="0" aria-label="Memories"><div id="rows" role="presentation"></div></div>
<div class="none" id="none" hidden><p id="none-text"></p><button type="button" id="none-all">Show all memories</button></div>
</nav>
<main id="pane" tabindex="-1">
<button type="button" class="small back" id="back">Back to the list</button>
<div role="status" id="said" class="said none"></div>
<article id="sheet"><p class="quiet" id="loading">Loading …</p></article>
</main>
</div>
<div class="toast" id="toast" role="status" hidden><span><span class="before" id="toast-before"></span><span id="toast-text"></span></span> <button type="button" class="small" id="undo"><kbd aria-hidden="true">u</kbd> Take it back</button><span class="clock" aria-hidden="true"></span></div>
<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2><dl class="keys">${KEYS.map(([key, does]) => html`<div><dt><kbd>${ours(key)}</kbd></dt><dd>${ours(does)}</dd></div>`)}</dl>
<p class="quiet">A yes counts for exactly the text on the screen. Every answer is written with your next key or after five seconds.</p><form method="dialog"><button>Back</button></form></dialog>
<dialog id="compare" aria-labelledby="compare-title"><div id="compare-body"></div><form method="dialog"><button>Back</button></form></dialog>
<dialog id="leave" aria-labelledby="leave-title"><h2 id="leave-title">This leads out of Surety</h2><p>The memory names this address. Nobody has checked what is there.</p><p><a id="leave-link" rel="noopener noreferrer" target="_blank"></a></p><form method="dialog"><button autofocus>Stay here</button></form></dialog>
<section id="gone" role="alert" hidden><h1 tabindex="-1" id="gone-title">Surety does not answer any more</h1><p id="gone-text">It has ended, or the connection to it was cut, so this page takes no more answers. What the page said was done is done. ${ours(FORWARD_AGAIN)}</p><p>surety open shows your memories again.</p></section>
</body>
</html>
`;
}

/** The part of a page that the script puts in its place. */
export function partView(title: string, part: Markup): Markup {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${ours(title)} · Surety</title></head><body><div id="part">${part}</div></body></html>
`;
}
