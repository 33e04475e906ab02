import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../actions/session.ts';
import { watchStore } from '../../actions/watch-store.ts';
import { CHANNELS, type Level } from '../../core/trust/consent.ts';
import { LONGEST_LIFE, PageAccess } from '../access.ts';
import { Connections, closed } from '../connections.ts';
import { levelOfPage, listenAs } from '../passkeys/asking-page.ts';
import type { PageEnd } from '../review-session.ts';
import { Watchers } from '../watchers.ts';
import { PageWitness } from '../witness.ts';
import { Overview } from './overview.ts';
import { answerOverview, type OverviewOutcome } from './routes.ts';

export interface OverviewOptions {
  readonly session: Session;
  /** An overview opened from a terminal proves no more than the terminal. */
  readonly levelAtMost?: Level;
  readonly limits?: Partial<OverviewLimits>;
}

/** In milliseconds. docs/threat-model.md argues for them. */
export interface OverviewLimits {
  /** From the start until somebody follows the link. */
  readonly open: number;
  /** Without a key or a movement of the person: then nothing can be read any more. */
  readonly idle: number;
  /** From showing a text until no answer to it counts any more. */
  readonly sheet: number;
  /** In all, whatever the person does. */
  readonly life: number;
  /** How long the port stays open for tabs that have not heard yet how the page ended. */
  readonly lastNews: number;
  readonly headers: number;
  readonly request: number;
}

const MINUTE = 60_000;
const LIMITS: OverviewLimits = {
  open: 5 * MINUTE,
  idle: 30 * MINUTE,
  sheet: 10 * MINUTE,
  life: LONGEST_LIFE,
  lastNews: 3_000,
  headers: 5_000,
  request: 10_000,
};

export interface OverviewPage {
  /** For the browser only: the first visitor is taken for the person. */
  readonly url: string;
  readonly entered: Promise<void>;
  readonly ended: Promise<{ readonly how: PageEnd; readonly outcomes: Overview['outcomes'] }>;
  /** Carries out what is held. Resolves when the port is closed, after the open tabs know. */
  close(how?: PageEnd): Promise<void>;
  readonly closed: Promise<void>;
}

/**
 * Opens the overview on a free port of 127.0.0.1, after a first survey of the store; where passkeys are enrolled, under the
 * name that they are bound to.
 */
export async function openOverview(options: OverviewOptions): Promise<OverviewPage> {
  const { session, levelAtMost = CHANNELS.page } = options;
  const limits = { ...LIMITS, ...options.limits };
  const entered = Promise.withResolvers<void>();
  const over = Promise.withResolvers<{ how: PageEnd; outcomes: Overview['outcomes'] }>();
  const portClosed = Promise.withResolvers<void>();
  const access = new PageAccess(limits.life);
  const watchers = new Watchers();
  const level = levelOfPage(session, levelAtMost);
  const overview = new Overview(session, level, {
    rows: (changes) => watchers.tell('rows', changes),
    said: (said) => watchers.tell('said', said),
  });
  const witness = new PageWitness(levelAtMost, null, limits.sheet);
  const parts = { access, overview, witness, watchers, takesAnswers: true };
  await overview.rows.survey();
  const watch = watchStore(session, (ids) => overview.rows.update(ids));

  const server = createServer({ maxHeaderSize: 8 * 1024, connectionsCheckingInterval: 500 });
  server.headersTimeout = limits.headers;
  server.requestTimeout = limits.request;
  server.keepAliveTimeout = 2_000;
  const connections = new Connections(server);
  const underWay = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let closing = false;

  const close = async (how: PageEnd) => {
    if (closing) return portClosed.promise;
    closing = true;
    clearTimeout(timer);
    clearTimeout(last);
    parts.takesAnswers = false;
    watch.stop();
    await Promise.all(underWay);
    if (how === 'voided') await overview.drop();
    else await overview.finish();
    over.resolve({ how, outcomes: overview.outcomes });
    watchers.tell('over', { how, decided: overview.decided() });
    await Promise.race([watchers.gone(), sleep(limits.lastNews, undefined, { ref: false })]);
    await closed(server);
    portClosed.resolve();
  };
  const closeIn = (ms: number, how: PageEnd) => {
    clearTimeout(timer);
    // A timer set by a late answer would keep the process alive after the page has closed.
    if (!closing) timer = setTimeout(() => void close(how), ms);
  };
  const last = setTimeout(() => void close('expired'), limits.life);
  const handled = (outcome: OverviewOutcome) => {
    if (outcome === 'voided') void close('voided');
    else if (outcome === 'left') void close('left');
    else if (outcome === 'served') closeIn(limits.idle, 'idle');
  };
  server.on('request', (request, response) => {
    const answering = answerOverview(parts, request, response);
    underWay.add(answering);
    void answering.then((outcome) => {
      underWay.delete(answering);
      if (outcome !== 'denied' && outcome !== 'voided') {
        connections.keep(request.socket);
        entered.resolve();
      }
      handled(outcome);
    });
  });
  // A request that is not HTTP gets no answer.
  server.on('clientError', (_error, socket) => socket.destroy());

  await listenAs(level, server, access);
  closeIn(limits.open, 'unopened');
  return {
    url: access.url,
    entered: entered.promise,
    ended: over.promise,
    close: (how = 'closed') => close(how),
    closed: portClosed.promise,
  };
}
