import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Session } from '../../actions/session.ts';
import { RELYING_PARTY } from '../../core/passkeys/assertion.ts';
import { PageAccess } from '../access.ts';
import { Connections, closed, listeningOnBoth } from '../connections.ts';
import { admit, complain, deny, formOf, LOOK, notice, page, send, sentenceOn } from '../replies.ts';
import { PageWitness } from '../witness.ts';
import { ENROL_JS } from './script.ts';
import { PasskeyTask, type Task } from './task.ts';
import { passkeyView } from './views.ts';

export interface PasskeyPage {
  /** For the browser only: the first visitor is taken for the person. */
  readonly url: string;
  readonly entered: Promise<void>;
  readonly ended: Promise<{ readonly how: string; readonly outcomes: readonly { readonly kind: string }[] }>;
  close(how?: string): Promise<void>;
}

const MINUTE = 60_000;
/** How long the port stays open after the last page, in case the person loads it again. */
const LINGER_MS = 2_000;

/** Opens the page on which passkeys are enrolled, removed and required. It closes when that is done. */
export async function openPasskeyPage(session: Session, task: Task): Promise<PasskeyPage> {
  const access = new PageAccess();
  // A terminal opened it, so the first passkey rests on the terminal's word.
  const witness = new PageWitness(1, null);
  const work = new PasskeyTask(session, witness, task);
  const server = createServer({ maxHeaderSize: 8 * 1024, connectionsCheckingInterval: 500 });
  server.headersTimeout = 5_000;
  server.requestTimeout = 10_000;
  const connections = new Connections(server);
  const entered = Promise.withResolvers<void>();
  const over = Promise.withResolvers<Awaited<PasskeyPage['ended']>>();
  let closing: Promise<void> | undefined;
  const close = (how: string) => {
    clearTimeout(timer);
    over.resolve({ how, outcomes: work.step.kind === 'done' ? [{ kind: 'done' }] : [] });
    closing ??= closed(server);
    return closing;
  };
  let timer = setTimeout(() => void close('unopened'), 5 * MINUTE);
  const closeIn = (ms: number, how: string) => {
    clearTimeout(timer);
    if (closing === undefined) timer = setTimeout(() => void close(how), ms);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const admitted = admit(access, { session, outcomes: [] }, request, response);
    if (admitted === 'voided') void close('voided');
    if (typeof admitted === 'string') return admitted === 'served' ? entered.resolve() : undefined;
    connections.keep(request.socket);
    // What the last page loads must not keep it open.
    if (work.step.kind !== 'done') closeIn(15 * MINUTE, 'idle');
    const { method, name } = admitted;
    if (method === 'POST') {
      const form = await formOf(request, response, name === 'answer');
      if (form === undefined) return;
      await work.answer(form);
      response.setHeader('Location', access.base);
      return send(response, 303, 'text/plain', '');
    }
    if (name === 'script.js') return send(response, 200, 'text/javascript', ENROL_JS);
    if (name !== '') return deny(response, 'path');
    page(response, 200, (nonce) => passkeyView(work, witness, nonce));
    if (work.step.kind === 'done') closeIn(LINGER_MS, 'finished');
  };
  server.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      complain(session.vault, error);
      if (!response.headersSent) notice(response, 500, 'That did not work', sentenceOn(error), LOOK);
    });
  });
  // A request that is not HTTP gets no answer.
  server.on('clientError', (_error, socket) => socket.destroy());
  access.listensOn(await listeningOnBoth(server), RELYING_PARTY);
  return { url: access.url, entered: entered.promise, ended: over.promise, close: (how = 'closed') => close(how) };
}
