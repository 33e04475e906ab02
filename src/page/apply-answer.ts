import { findMissingTexts } from '../actions/put-back-from-copies.ts';
import { type Adoption, adopt, adoptingOf, draftAdoption } from '../actions/review/adopt.ts';
import {
  type AnswerKey,
  carriedOutAdoption,
  changedMeanwhile,
  choicesFor,
  KEYS,
  type Person,
  type Said,
} from '../actions/review/answers.ts';
import { changeHints, changesOnlyHints, HINTS_CHANGED } from '../actions/review/change-hints.ts';
import { type MachineView, recordNotTrusted, refuseTrusting, trustMachine } from '../actions/review/machines.ts';
import type { Case } from '../actions/review/review.ts';
import type { Session } from '../actions/session.ts';
import { TYPES } from '../core/memory/limits.ts';
import { Refusal } from '../core/refusal.ts';
import { visible } from '../core/text/safe-text.ts';
import type { MachineOutcome, ReviewSession, Writing } from './review-session.ts';
import type { AnsweredSheet, Sheet } from './witness.ts';

/** Keys that only change the page, skip or leave, for each kind of sheet. Every other key waits for the client's accept. */
const CHANGING_NOTHING: Record<Sheet['kind'], readonly AnswerKey[]> = {
  case: ['e', 's', 'q'],
  draft: ['e', 's'],
  machine: ['s', 'q'],
  edit: KEYS,
  passkey: KEYS,
  end: KEYS,
};

export function changesSomething({ sheet }: AnsweredSheet, form: URLSearchParams): boolean {
  const key = KEYS.find((known) => known === form.get('key'));
  return key !== undefined && !CHANGING_NOTHING[sheet.kind].includes(key);
}

/** Carries out one answer and returns the path of the next page. */
export async function applyAnswer(
  review: ReviewSession,
  answered: AnsweredSheet,
  form: URLSearchParams,
): Promise<string> {
  const { sheet } = answered;
  const key = KEYS.find((known) => known === form.get('key'));
  try {
    await review.tickOff();
    switch (sheet.kind) {
      case 'end':
        if (key === 'y') {
          await findMissingTexts(review.session.vault);
          review.goOn();
        } else review.leave();
        return '';
      case 'case':
        if (review.isPast(sheet.open)) {
          review.say('warning', outOfDate(sheet.open.id));
          return '';
        }
        return await applyToCase(review, answered, sheet.open, key, form.get('reason') ?? '');
      case 'machine':
        await applyToMachine(review, answered, sheet.machine, key);
        return '';
      case 'edit':
        return await applyToWriting(review, sheet.open, key, form);
      case 'passkey':
        return '';
      case 'draft':
        if (key === 'e') return 'edit';
        if (key === 'y') {
          const { outcome, said } = await storeDraft(review.session, answered, sheet.adoption);
          review.settle(sheet.open.stem, outcome);
          review.say(said.tone, said.sentence);
        } else review.writing = undefined;
        return '';
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'unfinished' && 'open' in sheet) {
      const { id, stem } = sheet.open;
      review.settle(stem, { kind: 'unfinished', id, refusal: error });
      review.say('danger', error.forPerson);
    } else if (error.code === 'changed-meanwhile') {
      review.writing = undefined;
      const isPast = 'open' in sheet && review.isPast(sheet.open);
      review.say('warning', isPast ? outOfDate(sheet.open.id) : changedMeanwhile('open' in sheet ? sheet.open : {}));
    } else review.say('danger', error.forPerson);
    return '';
  }
}

/** Said to a tab that still showed a memory which another tab had answered. The next memory comes below. */
export function outOfDate(id: string): string {
  return `That tab was out of date: ${id} was answered in another tab before. The answer you just gave was not used.`;
}

async function applyToCase(
  review: ReviewSession,
  answered: AnsweredSheet,
  open: Case,
  key: string | undefined,
  reason: string,
): Promise<string> {
  const { effect, next } = choicesFor(open).find((choice) => choice.key === key) ?? {};
  if (effect === undefined) {
    review.say('warning', 'That is none of the answers; nothing was done.');
  } else if (effect === 'write') {
    review.writing = undefined;
    return 'edit';
  } else if (effect === 'stop') {
    review.leave();
  } else {
    const { outcome, said, then } = await effect(review.session, open, personOn(answered, reason));
    review.settle(open.stem, outcome, next ?? then);
    if (said !== undefined) review.say(said.tone, said.sentence);
  }
  return '';
}

/** The person who answered this sheet. */
export function personOn({ yes, yesToBoth, no }: AnsweredSheet, reason: string): Person {
  return { channel: 'page', yes, yesToBoth, no, reason: async (usual) => reason.trim() || usual };
}

async function applyToMachine(
  review: ReviewSession,
  answered: AnsweredSheet,
  machine: MachineView,
  key: string | undefined,
): Promise<void> {
  if (key === 'y' || key === 'n') {
    const { kind, said } = await decideOnMachine(review, answered, machine, key);
    review.settleMachine(machine, kind);
    review.say(said.tone, said.sentence);
  } else if (key === 's') review.settleMachine(machine, 'skipped');
  else if (key === 'q') review.leave();
  else review.say('warning', 'That is none of the answers; nothing was done.');
}

/** Carries out a yes or a no about a machine. */
export async function decideOnMachine(
  { session, level }: ReviewSession,
  answered: AnsweredSheet,
  machine: MachineView,
  key: 'y' | 'n',
): Promise<{ readonly kind: MachineOutcome['kind']; readonly said: Said }> {
  const id = machine.fingerprint.slice(0, 16);
  if (key === 'n') {
    recordNotTrusted(session, machine, 'page', true);
    return { kind: 'not-trusted', said: { tone: 'good', sentence: `The word of ${id} does not count here.` } };
  }
  const attempt = { channel: 'page', action: 'machines-trust', id: machine.fingerprint };
  session.audit.recordIfItThrows(attempt, () => refuseTrusting(session, machine, level));
  await trustMachine(session, machine, visible(machine.name, 'line').toString(), answered.yesToMachine());
  return { kind: 'trusted', said: { tone: 'good', sentence: `The word of ${id} counts here from now on.` } };
}

/** Where a person writes: the review, or the overview. */
export type WritingPage = Pick<ReviewSession, 'session' | 'writing' | 'counts' | 'say'>;

/** Turns the typed fields into a draft to confirm. If the checks refuse it, the form is shown again. */
export async function applyToWriting(
  review: WritingPage,
  open: Case,
  key: string | undefined,
  form: URLSearchParams,
): Promise<string> {
  if (key !== 'y') {
    review.writing = undefined;
    return '';
  }
  const typed = fieldsOf(form);
  const { shown } = open.loaded;
  // The form has no type where it cannot change.
  const fields = adoptingOf(open.loaded) === 'adopt' && shown ? { ...typed, type: shown.type } : typed;
  try {
    if (changesOnlyHints(open.loaded, fields)) {
      review.writing = undefined;
      // Before the client's accept nobody knows that a person writes here.
      if (review.counts) {
        await changeHints(review.session, open.loaded, fields, 'page');
        review.say('good', HINTS_CHANGED);
      } else
        review.say('warning', 'Nothing was changed: go back to your client and continue there, then change it here.');
      return '';
    }
    const adoption = draftAdoption(review.session, open.loaded, fields, 'page');
    review.writing = { stem: open.stem, fields, refused: undefined, adoption };
    return 'draft';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    review.writing = { stem: open.stem, fields, refused: error, adoption: undefined };
    return 'edit';
  }
}

/** Stores the person's own words that were on the sheet. */
export async function storeDraft(session: Session, answered: AnsweredSheet, adoption: Adoption) {
  const consent = answered.yesToDraft();
  return carriedOutAdoption(adoption, await adopt(session, adoption, consent), consent.assertion !== undefined);
}

function fieldsOf(form: URLSearchParams): Writing['fields'] {
  const text = (name: string) => (form.get(name) ?? '').replaceAll('\r\n', '\n');
  const listIn = (words: string, between: string) => words.split(between).map((each) => each.trim());
  const tags = listIn(text('tags'), ',').filter((tag) => tag !== '');
  const anchors = text('anchors')
    .split('\n')
    .map((line) => listIn(line, ' | '))
    .filter(([path]) => path !== '');
  const askedAs = listIn(text('asked-as'), '\n').filter((hint) => hint !== '');
  return {
    type: TYPES.find((type) => type === text('type')) ?? 'project',
    name: text('name'),
    description: text('description'),
    tags: tags.length === 0 ? undefined : tags,
    project: text('project').trim() || undefined,
    anchors,
    askedAs,
    body: text('body'),
  };
}
