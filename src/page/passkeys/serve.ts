import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PasskeyRequest } from '../../actions/review/passkeys.ts';
import type { Session } from '../../actions/session.ts';
import { browserScript } from '../browser-script.ts';
import { PageServer, SERVER_LIMITS } from '../page-server.ts';
import { admit, deny, formOf, head, page, send } from '../replies.ts';
import type { PageEnd } from '../review-session.ts';
import { Watchers } from '../watchers.ts';
import { PageWitness } from '../witness.ts';
import { PasskeyTask } from './task.ts';
import { passkeyView } from './views.ts';

const IDLE_MS = 15 * 60_000;
/** How long the port stays open after the last page, in case the person loads it again. */
const LINGER_MS = 2_000;

/** Opens the page on which passkeys are enrolled, removed and required. It closes when that is done. */
export async function openPasskeyPage(session: Session, task: PasskeyRequest) {
  // A terminal opened it, so the first passkey rests on the terminal's word.
  const witness = new PageWitness(1, null);
  const work = new PasskeyTask(session, witness, task);
  const watchers = new Watchers();
  const over = Promise.withResolvers<{ how: PageEnd; outcomes: { kind: string }[] }>();

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const admitted = admit(access, { session, outcomes: [] }, request, response);
    if (typeof admitted === 'string') return admitted;
    const { method, name } = admitted;
    if (method === 'POST') {
      const form = await formOf(request, response, name === 'answer');
      if (form === undefined) return 'denied';
      await work.answer(form);
      response.setHeader('Location', access.base);
      send(response, 303, 'text/plain', '');
    } else if (name === 'watch') {
      head(response, 200, 'text/event-stream');
      watchers.add(response, undefined);
      return 'watched';
    } else if (name === 'script.js') {
      send(response, 200, 'text/javascript', browserScript('passkeys'));
    } else if (name === '') {
      page(response, 200, (nonce) => passkeyView(work, witness, nonce));
      return work.step.kind === 'done' ? 'last' : 'served';
    } else {
      deny(response, 'path');
      return 'denied';
    }
    return 'served';
  };
  const server = new PageServer(session.vault, SERVER_LIMITS, {
    answer,
    answered: (outcome) => {
      if (outcome === 'voided') void server.close('voided');
      else if (outcome === 'last') server.closeIn(LINGER_MS, 'finished');
      // What the last page loads must not keep it open.
      else if (outcome === 'served' && work.step.kind !== 'done') server.closeIn(IDLE_MS, 'idle');
    },
    end: (how) => over.resolve({ how, outcomes: work.step.kind === 'done' ? [{ kind: 'done' }] : [] }),
  });
  const { access } = server;
  await server.listen(4);
  return { url: access.url, entered: server.entered, ended: over.promise, close: () => server.close() };
}
