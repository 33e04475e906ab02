import type { Said } from '../actions/review/answers.ts';
import type { SyncNotice } from '../store/sync/notices.ts';
import { html, type Markup, type MarkupPart, ours, when } from './markup.ts';
import { STYLE_CSS } from './style.ts';

interface Frame {
  readonly title: string;
  /** Leaves out the product's name, because a port scan should not learn what listens here. */
  readonly unnamed?: boolean;
  readonly nonce: string;
  readonly said?: Said | undefined;
  /** The form that takes the last answer back. */
  readonly held?: MarkupPart;
  readonly notices?: readonly SyncNotice[];
  /** Text at the right end of the top line. */
  readonly where?: string;
  /** What the script shows once the server is gone. A page without it needs nothing more from the server. */
  readonly gone?: Markup;
  /** Redirects to this path. */
  readonly refresh?: string;
  /** Where there is no script, loads the page again after so many seconds. */
  readonly againIn?: number;
}

/**
 * The HTML document around every sheet. The style is in it: a last page is whole with one answer, and a page for a browser
 * without the cookie has its style too.
 */
export function framed(frame: Frame, main: MarkupPart): Markup {
  const { title, unnamed = false, nonce, said, held, notices = [], where, gone, refresh, againIn } = frame;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh === undefined ? undefined : html`<meta http-equiv="refresh" content="0; url=${ours(refresh)}">`}
${againIn === undefined ? undefined : html`<noscript><meta http-equiv="refresh" content="${againIn}"></noscript>`}
<title>${ours(unnamed ? title : `${title} · Surety`)}</title>
<style nonce="${ours(nonce)}">${STYLE_CSS}</style>
${gone === undefined ? undefined : html`<script src="script.js" nonce="${ours(nonce)}" defer></script>`}
</head>
<body>
<header class="top">${when(!unnamed, () => html`<span class="wordmark">Surety</span>`)}<span class="quiet" id="where">${where === undefined ? undefined : ours(where)}</span></header>
<main>
<div id="sheet">
<div role="status" id="said" class="${ours(`said ${said?.tone ?? 'none'}`)}">${said === undefined ? undefined : ours(said.sentence)}</div>
${held}
${when(notices.length > 0, () => html`<section class="syncs">${syncList(notices)}</section>`)}
${main}
</div>
${gone === undefined ? undefined : html`<section id="gone" role="alert" hidden>${gone}</section>`}
</main>
</body>
</html>
`;
}

/** What syncs brought up, in the words of `surety status`. */
export function syncList(notices: readonly SyncNotice[]): Markup {
  return html`<h2>From the last syncs</h2><ul class="tally">${notices.map(({ about, what }) => html`<li>${ours(about)} ${ours(what)}</li>`)}</ul>`;
}
