import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../actions/session.ts';
import { watchStore } from '../../actions/watch-store.ts';
import { CHANNELS, type Level } from '../../core/trust/consent.ts';
import { PageServer, SERVER_LIMITS, type ServerLimits } from '../page-server.ts';
import { levelOfPage } from '../passkeys/asking-page.ts';
import type { PageEnd } from '../review-session.ts';
import { Watchers } from '../watchers.ts';
import { PageWitness } from '../witness.ts';
import { Overview } from './overview.ts';
import { answerOverview, type OverviewOutcome, type OverviewParts } from './routes.ts';

export interface OverviewOptions {
  readonly session: Session;
  /** An overview opened from a terminal proves no more than the terminal. */
  readonly levelAtMost?: Level;
  readonly limits?: Partial<OverviewLimits>;
}

/** In milliseconds. docs/threat-model.md argues for them. */
interface OverviewLimits extends ServerLimits {
  /** Without a key or a movement of the person: then nothing can be read any more. */
  readonly idle: number;
  /** From showing a text until no answer to it counts any more. */
  readonly sheet: number;
  /** How long the port stays open for tabs that have not heard yet how the page ended. */
  readonly lastNews: number;
}

const MINUTE = 60_000;
const LIMITS: OverviewLimits = { ...SERVER_LIMITS, idle: 30 * MINUTE, sheet: 10 * MINUTE, lastNews: 3_000 };

export type OverviewPage = Awaited<ReturnType<typeof openOverview>>;

/**
 * Opens the overview on a free port of 127.0.0.1, after a first survey of the store; where passkeys are enrolled, under the
 * name that they are bound to.
 */
export async function openOverview(options: OverviewOptions) {
  const { session, levelAtMost = CHANNELS.page } = options;
  const limits = { ...LIMITS, ...options.limits };
  const over = Promise.withResolvers<{ how: PageEnd; outcomes: Overview['outcomes']; lost: string | undefined }>();
  const watchers = new Watchers();
  const level = levelOfPage(session, levelAtMost);
  const overview = new Overview(session, level, {
    rows: (changes) => watchers.tell('rows', changes),
    said: (said) => watchers.tell('said', said),
  });
  const server = new PageServer<OverviewOutcome>(session.vault, limits, {
    answer: (request, response) => answerOverview(parts, request, response),
    answered: (outcome) => {
      if (outcome === 'voided' || outcome === 'left') void server.close(outcome);
      else if (outcome === 'served') server.closeIn(limits.idle, 'idle');
    },
    end: async (how) => {
      parts.takesAnswers = false;
      watch.stop();
      await server.workDone();
      if (how === 'voided') await overview.drop();
      else await overview.finish();
      over.resolve({ how, outcomes: overview.outcomes, lost: overview.holding.lost });
      watchers.tell('over', { how, decided: overview.decided() });
      await Promise.race([watchers.gone(), sleep(limits.lastNews, undefined, { ref: false })]);
    },
  });
  const { access } = server;
  const witness = new PageWitness(levelAtMost, null, limits.sheet);
  const parts: OverviewParts = { access, overview, witness, watchers, takesAnswers: true };
  await overview.rows.survey();
  const watch = watchStore(session, (ids) => overview.rows.update(ids));
  await server.listen(level);
  return {
    /** For the browser only: the first visitor is taken for the person. */
    url: access.url,
    entered: server.entered,
    ended: over.promise,
    /** Carries out what is held. Resolves when the port is closed, after the open tabs know. */
    close: (how?: PageEnd) => server.close(how),
    closed: server.closed,
  };
}
