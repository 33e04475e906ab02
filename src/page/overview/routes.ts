import type { IncomingMessage, ServerResponse } from 'node:http';
import { findMissingTexts } from '../../actions/put-back-from-copies.ts';
import { chartsOf } from '../../actions/report/charts.ts';
import { foundWith } from '../../actions/report/found-words.ts';
import { LONGEST_QUERY, TYPES } from '../../core/memory/limits.ts';
import type { PageAccess } from '../access.ts';
import { browserScript } from '../browser-script.ts';
import { draftSheet, editSheet } from '../case-views.ts';
import { html, type Markup } from '../markup.ts';
import { admit, deny, formOf, head, LOOK, notice, page, send } from '../replies.ts';
import type { Watchers } from '../watchers.ts';
import type { PageWitness } from '../witness.ts';
import { chartsView } from './charts-view.ts';
import { besideView, earlierView } from './earlier-texts.ts';
import { homeView, partView } from './home-view.ts';
import { lifeView } from './life-view.ts';
import { memorySheet } from './memory-sheet.ts';
import type { Overview } from './overview.ts';
import type { RowChanges } from './rows.ts';

export interface OverviewParts {
  readonly access: PageAccess;
  readonly overview: Overview;
  readonly witness: PageWitness;
  readonly watchers: Watchers;
  /** False once the page is being closed. */
  takesAnswers: boolean;
}

/**
 * What happened to a request. `served`: a person did something; `quiet`: the script asked by itself, which keeps no page
 * open; `left`: the person closed the page.
 */
export type OverviewOutcome = 'served' | 'quiet' | 'watched' | 'denied' | 'voided' | 'left';

/** At most 50 hits: an agent gets 20, and a person can look further down. */
const MOST_FOUND = 50;

/** The only entrance for requests. Nothing of a request is processed before access is granted. */
export async function answerOverview(
  parts: OverviewParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<OverviewOutcome> {
  const { access, overview } = parts;
  const admitted = admit(access, overview, request, response);
  if (typeof admitted === 'string') return admitted;
  const { method, name, query } = admitted;
  if (method === 'POST') return posted(parts, name, request, response);
  const [route = '', ...rest] = name.split('/');
  const get = ROUTES[route];
  const asked: RowRequest = { key: keyIn(rest), query: new URLSearchParams(query) };
  if (get === undefined || !(await get(parts, asked, response))) {
    deny(response, 'path');
    return 'denied';
  }
  if (route === 'watch') return 'watched';
  return asked.query.has('auto') ? 'quiet' : 'served';
}

interface RowRequest {
  /** The row that the path names. */
  readonly key: string;
  readonly query: URLSearchParams;
}

/** Answers a GET; false where there is nothing at this address. */
type Get = (parts: OverviewParts, asked: RowRequest, response: ServerResponse) => boolean | Promise<boolean>;

/** Every route for reading. Each needs the cookie, and none changes the store. */
const ROUTES: Readonly<Record<string, Get>> = {
  __proto__: null as never,
  '': (parts, { key }, response) => key === '' && home(parts, response),
  m: (parts, _, response) => home(parts, response),
  charts: (parts, { key }, response) => key === '' && home(parts, response),
  figures: async ({ overview }, { key }, response) =>
    key === '' && part(response, 'Charts', chartsView(await chartsOf(overview.session))),
  notices: ({ overview }, { key }, response) => key === '' && part(response, 'Notices', overview.notices.view()),
  'script.js': (_, { key }, response) => key === '' && text(response, 'text/javascript', browserScript('overview')),
  watch: ({ overview, watchers, takesAnswers }, _, response) => {
    head(response, 200, 'text/event-stream');
    // No change, only how many there were: the tab loaded its rows before, and loads them again if it has missed one.
    const soFar: RowChanges = { after: overview.rows.changes, set: [], gone: [] };
    if (takesAnswers) watchers.add(response, 'rows', soFar);
    else watchers.add(response, 'over');
    return true;
  },
  here: (_, __, response) => text(response, 'text/plain', ''),
  rows: ({ overview }, _, response) => {
    const { rows, session } = overview;
    const names = JSON.stringify(rows.names(rows.first()));
    const now = Math.floor(session.vault.now() / 1000);
    const held = JSON.stringify(overview.heldNow ?? null);
    return text(
      response,
      'application/json',
      `{"now":${now},"changes":${rows.changes},"rows":${rows.json()},"names":${names},"held":${held}}`,
    );
  },
  names: ({ overview }, { query }, response) => json(response, overview.rows.names(query.getAll('key'))),
  search: async ({ overview }, { query }, response) => {
    const asked = (query.get('q') ?? '').slice(0, LONGEST_QUERY);
    const type = TYPES.find((each) => each === query.get('type'));
    const project = query.get('project') || undefined;
    const tier = (['verified', 'inferred'] as const).find((each) => each === query.get('tier'));
    return json(response, await foundWith(overview.session, { query: asked, limit: MOST_FOUND, type, project, tier }));
  },
  sheet: async ({ overview, witness }, { key }, response) => {
    const row = overview.rows.get(key);
    if (row?.category === 'missing') await findMissingTexts(overview.session.vault, row.id);
    const open = overview.open(key);
    return part(response, 'A memory', open && memorySheet(overview, witness, open));
  },
  edit: ({ overview, witness }, { key }, response) => {
    const open = overview.open(key);
    return part(response, 'In your own words', open && editSheet(overview, witness, open));
  },
  draft: ({ overview, witness }, { key }, response) => {
    const open = overview.open(key);
    const adoption = overview.writing?.adoption;
    const isOfIt = open !== undefined && adoption?.original.stem === open.stem;
    return part(response, 'Store this?', isOfIt ? draftSheet(overview, witness, open, adoption) : undefined);
  },
  life: async ({ overview }, { key }, response) => {
    const row = overview.rows.get(key);
    return part(response, 'Its life', row && (await lifeView(overview.session, row.id)));
  },
  beside: ({ overview }, { key, query }, response) => {
    const [one, other] = [key, query.get('other') ?? ''].map((each) => overview.open(each)?.loaded);
    return part(response, 'Side by side', one && other && besideView(one, other));
  },
  earlier: ({ overview }, { key, query }, response) => {
    const loaded = overview.open(key)?.loaded;
    return part(response, 'What differs', loaded && earlierView(overview.session, loaded, query.get('digest') ?? ''));
  },
};

function keyIn(parts: readonly string[]): string {
  try {
    return parts.map(decodeURIComponent).join('/');
  } catch {
    return '';
  }
}

function home({ access }: OverviewParts, response: ServerResponse): boolean {
  page(response, 200, (nonce) => homeView(access.base, nonce));
  return true;
}

/** Undefined where there is no such row, or not any more. Nothing of the request is repeated. */
function part(response: ServerResponse, title: string, markup: Markup | undefined): boolean {
  const view = markup === undefined ? partView('Not there', GONE) : partView(title, markup);
  return text(response, 'text/html', view.toString());
}

const GONE = html`<h1>It is not there any more</h1><p>Choose another memory in the list.</p>`;

function json(response: ServerResponse, value: unknown): boolean {
  return text(response, 'application/json', JSON.stringify(value));
}

function text(response: ServerResponse, type: string, body: string): boolean {
  send(response, 200, type, body);
  return true;
}

/** Every route for deciding. An answer needs the cookie, this page's origin, and the token of the sheet that it answers. */
async function posted(
  parts: OverviewParts,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<OverviewOutcome> {
  const { overview, witness } = parts;
  const form = await formOf(request, response, ['answer', 'undo', 'seen', 'close'].includes(name));
  if (form === undefined) return 'denied';
  if (!parts.takesAnswers) {
    notice(response, 409, 'Nothing was done', 'This page is being closed.', LOOK);
    return 'denied';
  }
  if (name === 'close') {
    parts.takesAnswers = false;
    await overview.finish();
    json(response, { kind: 'closed', decided: overview.decided() });
    return 'left';
  }
  if (name === 'seen') {
    json(response, { isSeen: await overview.notices.tickOff(form.get('seen') ?? '') });
    return 'served';
  }
  json(response, name === 'undo' ? await overview.undo(form.get('undo') ?? '') : await overview.answer(witness, form));
  return 'served';
}
