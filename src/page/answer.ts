import { adopt, draftAdoption } from '../actions/review/adopt.ts';
import { CHANGED_MEANWHILE, carriedOutAdoption, choicesFor, KEYS, type Key } from '../actions/review/answers.ts';
import { type MachineView, recordTrustDeclined, refuseTrusting, trustMachine } from '../actions/review/machines.ts';
import type { Case } from '../actions/review/review.ts';
import { TYPES } from '../core/memory/limits.ts';
import { Refusal } from '../core/refusal.ts';
import { visible } from '../core/text/safe-text.ts';
import type { Sitting, Writing } from './review-session.ts';
import type { Answered, Sheet } from './witness.ts';

/** The keys that only turn pages, skip or leave, by what they answer. Every other one waits for the client's accept. */
const CHANGING_NOTHING: Record<Sheet['kind'], readonly Key[]> = {
  case: ['e', 's', 'q'],
  draft: ['e', 's'],
  machine: ['s', 'q'],
  edit: KEYS,
  end: KEYS,
};

export function changesSomething({ sheet }: Answered, form: URLSearchParams): boolean {
  const key = KEYS.find((known) => known === form.get('key'));
  return key !== undefined && !CHANGING_NOTHING[sheet.kind].includes(key);
}

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
      sitting.say('warning', CHANGED_MEANWHILE);
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
  const effect = choicesFor(open).find((choice) => choice.key === key)?.effect;
  if (effect === undefined) {
    sitting.say('warning', 'That is none of the answers; nothing was done.');
  } else if (effect === 'write') {
    sitting.writing = undefined;
    return 'edit';
  } else if (effect === 'stop') {
    sitting.leave();
  } else {
    const { outcome, said, then } = await effect(sitting.session, open, {
      channel: 'page',
      yes: answered.yes,
      reason: async (usual) => reason.trim() || usual,
    });
    sitting.settle(open.stem, outcome, then);
    if (said !== undefined) sitting.say(said.tone, said.sentence);
  }
  return '';
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
  const adopted = await adopt(sitting.session, adoption, { birth: answered.yesToDraft(), putAway });
  const { outcome, said } = carriedOutAdoption(open.id, adopted);
  sitting.settle(open.stem, outcome);
  sitting.say(said.tone, said.sentence);
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
