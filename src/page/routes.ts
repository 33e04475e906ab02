import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageAccess } from './access.ts';
import { applyAnswer, changesSomething } from './apply-answer.ts';
import { browserScript } from './browser-script.ts';
import { caseView, draftView, editView } from './case-views.ts';
import { awaitedView, endView, lastHeldView, outdatedView } from './end-views.ts';
import { takeAnswer, takeBack } from './held/hold-answer.ts';
import { machineView } from './machine-view.ts';
import type { Markup } from './markup.ts';
import { admit, complain, deny, formOf, head, page, send, sentenceOn } from './replies.ts';
import type { ReviewSession } from './review-session.ts';
import type { WatchEvent, Watchers } from './watchers.ts';
import type { PageWitness } from './witness.ts';

export interface PageParts {
  readonly access: PageAccess;
  readonly review: ReviewSession;
  readonly witness: PageWitness;
  readonly watchers: Watchers;
}

/**
 * What happened to a request. `voided`: the second use of the link, which voids the page; `watched`: a tab keeps a request
 * open; `last`: the person's browser got the page's last answer.
 */
export type RequestOutcome = 'served' | 'watched' | 'last' | 'denied' | 'voided';

/** The only entrance for requests. Nothing of a request is processed before access is granted. */
export async function answerRequest(
  parts: PageParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<RequestOutcome> {
  const { access, review } = parts;
  const admitted = admit(access, review, request, response);
  if (typeof admitted === 'string') return admitted;
  const { method, name } = admitted;
  if (method === 'POST') return posted(parts, name, request, response);
  if (name === 'watch') {
    head(response, 200, 'text/event-stream');
    parts.watchers.add(response, newsFor(review), review.holding?.came);
    return 'watched';
  }
  const view = VIEWS[name];
  if (view !== undefined) page(response, 200, (nonce) => view(parts, nonce));
  else if (name === 'script.js') send(response, 200, 'text/javascript', browserScript('review'));
  else {
    deny(response, 'path');
    return 'denied';
  }
  review.current();
  return view !== undefined && review.ended !== undefined && !review.goesOn ? 'last' : 'served';
}

/** What happened before a tab began to watch. A tab whose answer does not wait ignores that none does. */
function newsFor({ ended, goesOn, awaited, held }: ReviewSession): WatchEvent | undefined {
  if (ended !== undefined && !goesOn) return 'over';
  return awaited === undefined && held === undefined ? 'settled' : undefined;
}

/** The page as it stands now. */
function now({ review, witness }: PageParts, nonce: string): Markup {
  if (review.awaited !== undefined) return awaitedView(review, nonce);
  const open = review.current();
  if (open !== undefined) return caseView(review, witness, open, nonce);
  const machine = review.unknownMachine();
  if (machine !== undefined) return machineView(review, witness, machine, nonce);
  return review.held === undefined ? endView(review, witness, nonce) : lastHeldView(review, review.held, nonce);
}

type View = (parts: PageParts, nonce: string) => Markup;
const VIEWS: Readonly<Record<string, View>> = {
  __proto__: null as never,
  '': now,
  edit: (parts, nonce) => {
    const open = parts.review.awaited === undefined ? parts.review.current() : undefined;
    return open === undefined ? now(parts, nonce) : editView(parts.review, parts.witness, open, nonce);
  },
  draft: (parts, nonce) => {
    const open = parts.review.awaited === undefined ? parts.review.current() : undefined;
    const adoption = parts.review.writing?.adoption;
    return open === undefined || adoption === undefined || adoption.original.stem !== open.stem
      ? now(parts, nonce)
      : draftView(parts.review, parts.witness, open, adoption, nonce);
  },
};

async function posted(
  parts: PageParts,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<RequestOutcome> {
  const { access, witness, review } = parts;
  const holding = name === 'undo' ? review.holding : undefined;
  const form = await formOf(request, response, name === 'answer' || holding !== undefined);
  if (form === undefined) return 'denied';
  if (holding !== undefined) {
    next(parts, response, await takeBack(parts, holding, form));
    return 'served';
  }
  const takesNone = review.awaited !== undefined || !review.takesAnswers;
  const answered = takesNone ? undefined : witness.take(form);
  if (answered === undefined) {
    if (!review.takesAnswers) review.lostAnswer = true;
    page(response, 409, (nonce) => (takesNone ? now(parts, nonce) : outdatedView(review, access.base, nonce)));
    return review.takesAnswers ? 'denied' : 'last';
  }
  const isAwaited = !review.counts && changesSomething(answered, form);
  if (isAwaited) review.awaited = { answered, form };
  next(parts, response, isAwaited ? '' : await takeAnswer(review, answered, form));
  return 'served';
}

/** 303, so that reloading the next page does not send the answer again. */
function next({ access }: PageParts, response: ServerResponse, path: string): void {
  response.setHeader('Location', access.base + path);
  send(response, 303, 'text/plain', '');
}

/** Carries out the answer that waited for the client's accept. It is checked against the store as it is now. */
export async function carryOutAwaited({ access, review }: PageParts): Promise<void> {
  const { awaited } = review;
  if (awaited === undefined || access.isVoid) return;
  try {
    await applyAnswer(review, awaited.answered, awaited.form);
    review.current();
  } catch (error) {
    complain(review.session.vault, error);
    review.say('danger', sentenceOn(error));
  } finally {
    review.awaited = undefined;
  }
}
