import { doneWith } from '../actions/decide.ts';
import { adopt, draftAdoption } from '../actions/review/adopt.ts';
import { type MachineView, recordTrustDeclined, refuseTrusting, trustMachine } from '../actions/review/machines.ts';
import { afterwards, type Case, carryOut, decline, putBack } from '../actions/review/review.ts';
import { TYPES } from '../core/memory/limits.ts';
import { Refusal } from '../core/refusal.ts';
import { visible } from '../core/text/safe-text.ts';
import type { Decision } from '../store/vault/vault.ts';
import { choicesFor, KEYS, noLowers } from './choices.ts';
import type { Sitting, Writing } from './review-session.ts';
import type { Answered } from './witness.ts';

/** Carries out one answer and returns the page that comes next. */
export async function apply(sitting: Sitting, answered: Answered, form: URLSearchParams): Promise<string> {
  const { sheet } = answered;
  const key = KEYS.find((known) => known === form.get('key'));
  try {
    await sitting.tickOff();
    switch (sheet.kind) {
      case 'end':
        if (key === 'y') sitting.goOn();
        else sitting.leave();
        return '';
      case 'case':
        return await applyToCase(sitting, answered, sheet.open, key, form.get('reason') ?? '');
      case 'machine':
        await applyToMachine(sitting, answered, sheet.machine, key);
        return '';
      case 'edit':
        return applyToWriting(sitting, sheet.open, key, form);
      case 'draft':
        if (key === 'e') return 'edit';
        if (key === 'y') await store(sitting, answered);
        else sitting.writing = undefined;
        return '';
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'unfinished' && 'open' in sheet) {
      const { id, stem } = sheet.open;
      sitting.settle(stem, { kind: 'unfinished', id, refusal: error });
      sitting.say('danger', error.told);
    } else if (error.code === 'changed-meanwhile') {
      sitting.writing = undefined;
      sitting.say('warning', 'It changed while you were looking at it, so nothing was done. This is how it is now.');
    } else sitting.say('danger', error.told);
    return '';
  }
}

async function applyToCase(
  sitting: Sitting,
  answered: Answered,
  open: Case,
  key: string | undefined,
  reason: string,
): Promise<string> {
  const { session } = sitting;
  const { id, stem, verb } = open;
  const carryOutAs = async (verb: Decision, why: string | undefined) => {
    const { recorded } = await carryOut(session, verb, open, answered.yes(verb), why);
    sitting.settle(stem, { kind: 'done', verb, id, recorded }, verb === 'promote' ? afterwards(open) : undefined);
    sitting.say(recorded ? 'good' : 'warning', doneWith(verb, id, { recorded }));
  };
  const chosen = choicesFor(open).find((choice) => choice.key === key);
  switch (chosen?.key) {
    case 'y':
      await carryOutAs(verb, verb === 'demote' ? whyLowered(open, reason) : undefined);
      return '';
    case 'n':
      if (noLowers(open)) {
        await carryOutAs('demote', reason.trim());
      } else if (open.category === 'requests') {
        await decline(session, open, 'page');
        sitting.settle(stem, { kind: 'declined', id });
        sitting.say('good', `The request is refused; ${id} stays as it is.`);
      } else {
        sitting.settle(stem, { kind: 'skipped', id });
        sitting.say('good', open.correctedBy === undefined ? `${id} stays in quarantine.` : `${id} stays as it is.`);
      }
      return '';
    case 'p':
      await putBack(session, open, 'page');
      sitting.settle(stem, { kind: 'put-back', id });
      sitting.say('good', `${id} says again what you vouched for.`);
      return '';
    case 'e':
      sitting.writing = undefined;
      return 'edit';
    case 's':
      sitting.settle(stem, { kind: 'skipped', id });
      return '';
    case 'q':
      sitting.leave();
      return '';
    default:
      sitting.say('warning', 'That is none of the answers; nothing was done.');
      return '';
  }
}

async function applyToMachine(
  sitting: Sitting,
  answered: Answered,
  machine: MachineView,
  key: string | undefined,
): Promise<void> {
  const { session, level } = sitting;
  if (key === 'y') {
    refuseTrusting(session, machine, level);
    await trustMachine(session, machine, visible(machine.name, 'line').toString(), answered.yesToMachine());
    sitting.met(machine, 'trusted');
    sitting.say('good', `The word of ${machine.fingerprint.slice(0, 16)} counts here from now on.`);
  } else if (key === 'n') {
    recordTrustDeclined(session, machine, 'page');
    sitting.met(machine, 'not-trusted');
  } else if (key === 's') sitting.met(machine, 'skipped');
  else if (key === 'q') sitting.leave();
  else sitting.say('warning', 'That is none of the answers; nothing was done.');
}

function whyLowered({ correctedBy }: Case, reason: string): string {
  return reason.trim() || (correctedBy === undefined ? '' : `corrected by ${correctedBy}`);
}

/** What was typed, as a draft to look at; what the checks refuse comes back with the form. */
function applyToWriting(sitting: Sitting, open: Case, key: string | undefined, form: URLSearchParams): string {
  if (key !== 'y') {
    sitting.writing = undefined;
    return '';
  }
  const fields = fieldsOf(form);
  try {
    const adoption = draftAdoption(sitting.session, open.loaded, fields, 'page');
    sitting.writing = { stem: open.stem, fields, refused: undefined, adoption };
    return 'draft';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    sitting.writing = { stem: open.stem, fields, refused: error, adoption: undefined };
    return 'edit';
  }
}

async function store(sitting: Sitting, answered: Answered): Promise<void> {
  const { sheet } = answered;
  if (sheet.kind !== 'draft') return;
  const { open, adoption } = sheet;
  const putAway = adoption.verb === 'adopt' ? answered.yes('demote') : undefined;
  const { loaded, original } = await adopt(sitting.session, adoption, { birth: answered.yesToDraft(), putAway });
  sitting.settle(open.stem, { kind: 'adopted', id: open.id });
  if (original === undefined) sitting.say('good', `${loaded.id} is verified, in your words, in place of ${open.id}.`);
  else sitting.say('warning', `${loaded.id} is verified, but ${open.id} was not put away: ${original.message}`);
}

function fieldsOf(form: URLSearchParams): Writing['fields'] {
  const text = (name: string) => (form.get(name) ?? '').replaceAll('\r\n', '\n');
  const tags = text('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    type: TYPES.find((type) => type === text('type')) ?? 'project',
    name: text('name'),
    description: text('description'),
    tags: tags.length === 0 ? undefined : tags,
    project: text('project').trim() || undefined,
    body: text('body'),
  };
}
