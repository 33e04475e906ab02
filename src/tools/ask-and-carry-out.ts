import { refuseUnproposed } from '../actions/agent/propose.ts';
import {
  DECISIONS,
  decide,
  decline,
  doneWith,
  keepBoth,
  NOT_RECORDED,
  queue,
  recordAttempt,
  saidNoBefore,
  subjectOfDecision,
  takePlace,
} from '../actions/decide.ts';
import { quarantineFacts } from '../actions/read-memory.ts';
import { dictationOf } from '../actions/review/dictation.ts';
import { rivalsOf } from '../actions/review/review.ts';
import { memoryForDialog, onScreen, shownFor, shownForBoth } from '../actions/review/shown.ts';
import { findingsOf, withoutStyle } from '../actions/review/style-findings.ts';
import type { Session } from '../actions/session.ts';
import { refusesHttp } from '../core/clients/refuses-http.ts';
import { whyStanding } from '../core/ledger/standing.ts';
import { parseId } from '../core/memory/ids.ts';
import { dialogTexts, MOST_DIALOGS } from '../core/present/dialog-text.ts';
import { Refusal } from '../core/refusal.ts';
import { type SafeText, sanitize, text } from '../core/text/safe-text.ts';
import { CHANNELS } from '../core/trust/consent.ts';
import { reviewCommand } from '../core/trust/review-command.ts';
import { looserThanDefaults } from '../store/places/settings.ts';
import { auditInput } from '../store/records/audit-input.ts';
import { type Loaded, reasonLine } from '../store/vault/vault.ts';
import type { AskChannels, DecisionTool } from './decision-tool.ts';
import type { Call } from './define.ts';
import { Dialog, type DialogAnswer, type DialogQuestion } from './dialog-channel.ts';
import { type PageAnswer, PageAsk } from './page-channel.ts';

/** Why a request waits in the operator's queue. */
const WAITING = {
  'no-channel': 'This client cannot ask a person',
  'too-long': 'The whole text does not fit the client’s dialog, and a yes counts only for text that was shown',
  'not-for-dialogs':
    'A text that is quarantined, that changed since a person vouched for it, or that may hold a secret is not shown in a client’s dialog',
  conflicting: 'It contradicts a verified memory, and the person decides with both before them',
  'too-weak': 'The operator asks for a stronger channel than the client’s dialog',
  'too-many': 'Five questions of this session are unanswered, so the person was not asked',
  cancelled: 'Nobody answered',
  declined: 'The person declined',
  'not-opened': 'The client did not open the page',
  empty: 'The answer was empty',
  'wrong-value': 'The answer was none of the choices',
  left: 'The person left the page without deciding',
  voided:
    'The link to the page was used twice, so the page was closed; tell the person, another program may have read it',
} as const;

const VOID: Record<(DialogAnswer & { kind: 'void' })['why'], string> = {
  forged: 'The answer did not come from a question of this server',
  expired: 'The answer came too late',
  // Also one that came too late, if another question was asked meanwhile.
  used: 'The answer was used already, or came too late',
  'other-question': 'The answer was given for something else',
};

const UNKNOWN_PAGE =
  'This server does not know this page, or has forgotten it. If the person decided there, it is done: read the memory before asking again.';

const SAID_NO = text`The person said no. Do not ask again unless they ask you to.`;
const KEPT_BOTH = text`The person keeps both: it is no longer in conflict and stays as it is. Ask again only if they ask you to.`;

/** Asks a person about a request and carries out the answer. Every outcome is recorded. */
export async function askAndCarryOut(
  tool: DecisionTool,
  session: Session,
  asking: AskChannels,
  call: Call,
  { id, reason }: { readonly id: string; readonly reason?: string | undefined },
) {
  // A text that is not an id may be a secret, so it is not recorded.
  const attempt = { ...attemptOf(tool, call, reason), id: parseId(id) };
  try {
    return await requestDecision(tool, session, asking, call, id, reason);
  } catch (error) {
    // What is refused before the answer is read, because another answer settled it, is no open question any more.
    if (asking.dialog.close(call)) asking.unanswered.giveBack();
    session.audit.recordFailure({ channel: 'mcp', ...attempt }, error);
    throw error;
  }
}

function attemptOf({ verb }: DecisionTool, { client }: Call, reason: string | undefined) {
  return { client, action: verb, input: auditInput({ reason }) };
}

async function requestDecision(
  tool: DecisionTool,
  session: Session,
  { dialog, page, unanswered }: AskChannels,
  call: Call,
  id: string,
  reason?: string,
) {
  const decided = await page.answer(tool.verb, id, call);
  if (decided === 'unknown') throw new Refusal('consent-mismatch', UNKNOWN_PAGE);
  if (decided !== undefined) return fromPage(tool, session, call, id, decided, reason);

  if (tool.takesOnlyProposed) refuseUnproposed(session, id);
  const before = session.vault.load(id);
  if (before !== undefined && !Dialog.isAnswer(call) && saidNoBefore(session, tool.verb, before)) {
    const attempt = { ...attemptOf(tool, call, reason), id: before.id, digest: before.digest };
    recordAttempt(session, attempt, 'declined', 'declined-before');
    return reply(before, 'declined', saidNoNote(tool, before));
  }
  const loaded = subjectOfDecision(session, tool.verb, id);
  const attempt = { ...attemptOf(tool, call, reason), id: loaded.id, digest: loaded.digest };
  const question = questionFor(tool, loaded, session, call, reason);
  const answer = dialog.answer(call, question);
  const askable = Dialog.isOffered(call) && question.messages.length > 0 && !needsMore(tool, session);
  // Not counted: all parts together are one question.
  if (askable && answer?.kind === 'more') return dialog.ask(question, answer.part);

  const outdated = answer?.kind === 'void' && answer.why === 'other-question';
  // An outdated answer still answers its question, so the question no longer counts as open.
  const isAnswered = answer !== undefined && ['yes', 'take-place', 'keep-both', 'no'].includes(answer.kind);
  if (isAnswered || outdated) unanswered.giveBack();

  const wants = answer === undefined || outdated;
  const onPage = answer === undefined && !askable && PageAsk.isOffered(call) && !refusesHttp(call.client?.name);
  const request = { tool, session, call, loaded, question, attempt, reason };
  if (wants && (askable || onPage) && unanswered.take()) {
    if (!askable) return askOnPage(request, page, unanswered);
    recordAttempt(session, attempt, 'asked', outdated ? 'changed-meanwhile' : undefined);
    return dialog.ask(question);
  }
  if (answer?.kind === 'void') throw new Refusal('consent-mismatch', `${VOID[answer.why]}. Nothing was changed.`);
  if (answer?.kind === 'unanswered') return putIntoQueue(request, answer.why);
  if (answer === undefined || answer.kind === 'more')
    return putIntoQueue(request, askable || onPage ? 'too-many' : whyNotAskable(request));
  return carryOut(request, answer);
}

/** What a person is to decide, and how the attempt is recorded. */
interface DecisionRequest {
  readonly tool: DecisionTool;
  readonly session: Session;
  readonly call: Call;
  readonly loaded: Loaded;
  readonly question: DialogQuestion;
  readonly attempt: Parameters<typeof recordAttempt>[1];
  readonly reason: string | undefined;
}

async function askOnPage(
  { tool, session, call, loaded, question, attempt, reason }: DecisionRequest,
  page: PageAsk,
  unanswered: AskChannels['unanswered'],
) {
  try {
    // Queued first, so that a person who closes the page finds the request in surety review.
    await queue(session, tool.verb, loaded, call.client, reason);
    recordAttempt(session, attempt, 'asked', 'page');
    // Claude Code shows one line of this.
    const where =
      question.rival === undefined
        ? text`${tool.askWithoutId ?? tool.ask(sanitize(loaded.id, 'line'))} The page has the whole text.`
        : text`This contradicts a verified memory. The page shows both; you choose.`;
    return await page.ask(session, tool.verb, loaded.id, where, call, () => unanswered.giveBack());
  } catch (error) {
    unanswered.giveBack();
    throw error;
  }
}

/** The request waits for the person, because nobody answered or nobody could be asked. */
async function putIntoQueue(
  { tool, session, call, loaded, attempt, reason }: DecisionRequest,
  why: keyof typeof WAITING,
) {
  await queue(session, tool.verb, loaded, call.client, reason);
  recordAttempt(session, attempt, 'queued', why);
  return reply(loaded, 'queued', waits(session, why));
}

/** An answer in a dialog that decides. */
type DecidingAnswer = Extract<DialogAnswer, { kind: 'yes' | 'take-place' | 'keep-both' | 'no' }>;

async function carryOut({ tool, session, loaded, question, attempt }: DecisionRequest, answer: DecidingAnswer) {
  switch (answer.kind) {
    case 'yes': {
      const decided = await decide(session, tool.verb, loaded, answer.consent, question.reason);
      recordAttempt(session, attempt, 'accepted');
      return reply(decided.loaded, 'done', doneNote(tool, decided.loaded, decided.recorded));
    }
    case 'take-place': {
      const { rival, yes } = answer;
      const decided = await takePlace(session, tool.verb as 'promote' | 'adopt', loaded, rival, yes);
      recordAttempt(session, attempt, 'accepted');
      recordAttempt(session, { ...attempt, action: 'demote', id: rival.id, digest: rival.digest }, 'accepted');
      return reply(decided.loaded, 'done', replacedNote(tool, decided.loaded, rival.id, decided.recorded));
    }
    case 'keep-both': {
      await keepBoth(session, tool.verb, loaded, answer.rival);
      recordAttempt(session, { ...attempt, action: 'keep-both' }, 'accepted');
      return reply(loaded, 'declined', KEPT_BOTH);
    }
    case 'no': {
      const recorded = await decline(session, tool.verb, loaded, answer.no);
      recordAttempt(session, attempt, 'declined', 'person-said-no');
      return reply(loaded, 'declined', noNote(recorded));
    }
  }
}

function whyNotAskable({ tool, session, call, loaded, question }: DecisionRequest): keyof typeof WAITING {
  if (!Dialog.isOffered(call)) return 'no-channel';
  if (needsMore(tool, session)) return 'too-weak';
  if (question.rival !== undefined) return 'conflicting';
  return memoryForDialog(loaded) === undefined ? 'not-for-dialogs' : 'too-long';
}

/** Whether the operator requires a higher level than a dialog has. */
function needsMore({ verb }: DecisionTool, { vault }: Session): boolean {
  return verb !== 'demote' && vault.settings.minimumAssurance > CHANNELS.dialog;
}

/** The verified memories that would be contradicted; none where nothing is to be verified. */
function contradictedBy({ verb }: DecisionTool, session: Session, loaded: Loaded): Loaded[] {
  return verb === 'promote' || verb === 'adopt' ? rivalsOf(session, loaded) : [];
}

/** The result of a yes that also quarantined the memory whose place was taken. */
function replacedNote(tool: DecisionTool, loaded: Loaded, replaced: string, recorded: boolean): SafeText {
  return text`${doneNote(tool, loaded, true)} ${sanitize(doneWith('demote', replaced, { recorded }), 'line')}`;
}

/** The result of a yes as it counts now. It can differ: git may have removed the ledger, or somebody edited the file. */
function doneNote({ verb, done }: DecisionTool, { standing }: Loaded, recorded: boolean): SafeText {
  const asked = verb === 'demote' ? 'quarantined' : 'verified';
  if (standing.tier !== asked) {
    const now = `It is ${standing.tier} for now: ${whyStanding(standing)}.`;
    return sanitize(`The person confirmed it, and that is on record. ${now}`, 'line');
  }
  return sanitize(recorded ? done : `${done} ${NOT_RECORDED}`, 'line');
}

function waits({ vault }: Session, why: keyof typeof WAITING): SafeText {
  return text`${sanitize(WAITING[why], 'line')}. Nothing was changed; the request waits for the person in: ${sanitize(reviewCommand(vault.settings), 'line')}. Do not ask again.`;
}

/** Why the person was not asked again, and what they can do themselves. */
function saidNoNote({ verb }: DecisionTool, { standing }: Loaded): SafeText {
  if (verb === 'demote')
    return text`The person said no to putting it into quarantine, so they were not asked again. Do not ask again; they can do it with surety demote, in a terminal of their own.`;
  const way =
    standing.tier === 'quarantined'
      ? text`take it out of quarantine with surety restore`
      : standing.tier === 'verified' || standing.reason === 'changed'
        ? text`vouch for it again with surety promote`
        : text`make it count with surety adopt or surety promote`;
  return text`The person said no to this text before, so they were not asked. Do not ask again; they can ${way}, in a terminal of their own.`;
}

function noNote(recorded: boolean): SafeText {
  return recorded ? SAID_NO : text`${SAID_NO} The ledger could not take it.`;
}

/** Reports what the person decided on the page. The page has carried it out and recorded it. */
function fromPage(
  tool: DecisionTool,
  session: Session,
  call: Call,
  id: string,
  decided: PageAnswer,
  reason: string | undefined,
) {
  const loaded = session.vault.load(id);
  if (decided.kind === 'unfinished') throw decided.refusal;
  if (loaded === undefined) {
    const answered = decided.kind !== 'unanswered' && decided.kind !== 'skipped' && decided.kind !== 'elsewhere';
    if (answered) throw new Refusal('unfinished', 'The person’s answer is on record, but the file is gone since.');
    throw new Refusal('no-such-memory', 'The memory is gone since the person was asked.');
  }
  switch (decided.kind) {
    case 'done':
      if (decided.verb === tool.verb && decided.replaced !== undefined)
        return reply(loaded, 'done', replacedNote(tool, loaded, decided.replaced, decided.recorded));
      if (decided.verb === tool.verb) return reply(loaded, 'done', doneNote(tool, loaded, decided.recorded));
      return reply(
        loaded,
        'declined',
        text`The person decided otherwise: it is ${sanitize(loaded.standing.tier, 'line')}.`,
      );
    case 'declined':
      return reply(loaded, 'declined', noNote(decided.recorded));
    case 'kept':
      return reply(loaded, 'declined', KEPT_BOTH);
    case 'left':
      return reply(loaded, 'declined', SAID_NO);
    case 'adopted':
      if (loaded.standing.tier === 'verified')
        return reply(loaded, 'done', text`The person put it into their own words. It is verified now; read it again.`);
      return reply(
        loaded,
        'declined',
        text`The person said it in their own words instead, as a new verified memory; this one stays as it is. Search for it.`,
      );
    case 'put-back':
      return reply(loaded, 'declined', text`The person put the text back that they had vouched for.`);
    case 'elsewhere':
      return reply(loaded, 'declined', text`It was settled elsewhere meanwhile; read it again before you ask again.`);
    case 'skipped':
    case 'unanswered': {
      const why = 'why' in decided ? decided.why : 'left';
      const attempt = { ...attemptOf(tool, call, reason), id: loaded.id, digest: loaded.digest };
      recordAttempt(session, attempt, 'queued', why);
      return reply(loaded, 'queued', waits(session, why));
    }
  }
}

/** The question for the client's dialog. It has no messages if the text does not fit or may not pass through a client. */
function questionFor(
  tool: DecisionTool,
  loaded: Loaded,
  session: Session,
  call: Call,
  said: string | undefined,
): DialogQuestion {
  const { id } = loaded;
  const [rival, another] = contradictedBy(tool, session, loaded);
  // A dialog has room for one other memory. A yes to it would free the text from one that nobody was shown.
  const old = another === undefined ? rival && memoryForDialog(rival) : undefined;
  const memory = rival !== undefined && old === undefined ? undefined : memoryForDialog(loaded);
  const dictation = tool.verb === 'demote' ? undefined : dictationOf(session, loaded);
  const findings = findingsOf(session.vault, loaded);
  const beside = {
    contradicts: rival && old && { id: rival.id, memory: old },
    findings: tool.verb === 'adopt' ? withoutStyle(findings) : findings,
    wording: dictation?.says,
    looser: looserThanDefaults(session.vault.settings),
  };
  const messagesWith = (reason: string | undefined, most?: number) => {
    const asking = (question: SafeText) => memory && dialogTexts(question, memory, { ...beside, reason }, most);
    return asking(tool.ask(sanitize(id, 'line'))) ?? (tool.askWithoutId && asking(tool.askWithoutId));
  };
  const given = reasonLine(said) ?? undefined;
  const full = messagesWith(given);
  // Whether a person said this needs no reason. One that does not fit must not send them to a page.
  const bare = full === undefined && tool.verb === 'adopt' ? messagesWith(undefined) : undefined;
  const isPageless = refusesHttp(call.client?.name);
  const screen = onScreen(loaded, { vouching: true }, dictation?.prompted);
  const both = rival && shownForBoth(tool.verb, screen, onScreen(rival, { vouching: false }));
  return {
    shown: both?.new ?? shownFor(tool.verb, screen),
    rival: both && { loaded: rival, shown: both.old },
    messages: full ?? bare ?? (isPageless ? messagesWith(given, MOST_DIALOGS) : undefined) ?? [],
    reason: bare === undefined ? given : undefined,
    yes: DECISIONS[tool.verb].yes,
  };
}

function reply(loaded: Loaded, outcome: 'done' | 'queued' | 'declined', note: SafeText) {
  const { id, standing } = loaded;
  return { id: sanitize(id, 'line'), outcome, tier: standing.tier, ...whyQuarantined(loaded), note };
}

function whyQuarantined(loaded: Loaded) {
  if (loaded.standing.tier !== 'quarantined') return {};
  const { reason, since } = quarantineFacts(loaded);
  return { reason: sanitize(reason, 'line'), ...(since !== null && { since: sanitize(since, 'line') }) };
}
