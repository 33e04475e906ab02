import { countersThatWentBack } from '../../actions/report/passkey-counters.ts';
import { noPasskeyRefusal, whyNoFirstPasskey } from '../../actions/review/first-passkey.ts';
import {
  type PasskeyRequest,
  passkeyCalled,
  passkeyName,
  refuseRemovingLast,
  refuseTakingBack,
  resetWithCode,
} from '../../actions/review/passkeys.ts';
import { openForReading, type Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import { passkeysNow, refuseRequiringTwice } from '../../store/maintenance/passkeys.ts';
import { openPasskeyPage } from '../ask/browser-review.ts';
import { withPerson } from '../ask/with-person.ts';
import type { Witness } from '../ask/witness.ts';
import { type Command, type Doors, EXIT, type Given, Misuse } from '../command.ts';
import { printJson, say, tell } from '../terminal/print.ts';
import { withStore } from '../with-store.ts';

export const passkey: Command = {
  help: `usage: surety passkey [list] [--json] [--root DIR]
       surety passkey add [NAME] [--root DIR]
       surety passkey remove PASSKEY [--root DIR]
       surety passkey require | release | reset [--root DIR]

With a passkey (fingerprint, face, PIN, security key or phone) you sign what you say yes to. No program can sign in your
place, not even one with this machine's key. Without one everything works as before: nobody has to enrol any.

  list      the passkeys of this store, and which of them may have been copied: its counter went back
  add       enrol one, on a page in your browser. The first is taken on your word; every later one is confirmed with one
            that is enrolled. NAME is what you call it, in at most 40 characters; else it is called like this machine.
  remove    remove one, confirmed with any that is enrolled. What it signed before counts. PASSKEY is its name, or the
            first 8 or more characters of its id. The last one cannot be removed: enrol another first.
  require   from then on nothing becomes verified in this store without a passkey, on any machine, whatever the settings
            say; what is verified stays. A recovery code is shown once. WITHOUT A PASSKEY AND WITHOUT THE CODE THERE IS
            NO WAY BACK: you would export into a new store, in which every memory is inferred.
  release   take that back, with a passkey. The pages go on asking for one that is enrolled; a box beside the answers
            answers without it.
  reset     take that back with the recovery code; all passkeys are removed by it

The page needs a browser that takes surety.localhost for this computer, as Chrome, Edge, Brave and Firefox do. Where
the page does not open, as it may be in Safari, use one of these. Over ssh the command prints how to forward the port.

  --json       print one JSON object: {"required", "contested", "passkeys":[{id, name, enrolled, counterWentBack}]}
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

It needs a terminal, except for the list, and there is no option that answers in your place.
exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  switches: ['json'],
  takes: 2,
  run: (given, doors) => {
    const [verb = 'list', which] = given.rest;
    if (given.switches.has('json') && verb !== 'list') throw new Misuse('--json goes with the list');
    if (verb === 'remove' && which === undefined) throw new Misuse('surety passkey remove needs a passkey');
    if (which !== undefined && verb !== 'remove' && verb !== 'add')
      throw new Misuse('only surety passkey add and remove take a name');
    const run = VERBS[verb];
    if (run === undefined) throw new Misuse('surety passkey knows list, add, remove, require, release and reset');
    return run(given, doors, which);
  },
};

type Run = (given: Given, doors: Doors, which: string | undefined) => Promise<number>;

const VERBS: Readonly<Record<string, Run>> = {
  __proto__: null as never,
  list: ({ root, switches }) => withStore(openForReading(root), (session) => list(session, switches.has('json'))),
  add: onPage('add', async ({ vault }, name) => ({
    kind: 'add',
    name: name === undefined ? vault.self.machine : passkeyName(name),
  })),
  remove: onPage('remove', async (session, which) => ({ kind: 'remove', ...passkeyCalled(session, which ?? '') })),
  require: onPage('require', async () => ({ kind: 'require' })),
  release: onPage('release', async () => ({ kind: 'release' })),
  reset: ({ root }) => withPerson('passkey reset', root, reset),
};

/** A change that is made on the page, because only a browser reaches the authenticator. */
function onPage(verb: string, taskOf: (session: Session, which: string | undefined) => Promise<PasskeyRequest>): Run {
  return ({ root }, doors, which) =>
    withPerson(`passkey ${verb}`, root, async (session, witness) => {
      const refusal = noPasskeyRefusal(session.vault);
      if (refusal !== undefined) throw refusal;
      const task = await taskOf(session, which);
      if (task.kind === 'release') refuseTakingBack(session);
      const { passkeys } = passkeysNow(session.vault);
      if (task.kind !== 'add' && passkeys.length === 0)
        throw new Refusal(
          'needs-passkey',
          'No passkey is enrolled that could confirm this; surety passkey add enrols one.',
        );
      if (task.kind === 'remove') refuseRemovingLast(session);
      if (task.kind === 'require') refuseRequiringTwice(session.vault);
      const notYet = task.kind === 'add' ? whyNoFirstPasskey(session.vault) : undefined;
      if (notYet !== undefined) tell(sanitize(notYet, 'line'), 'warning');
      return openPasskeyPage(session, witness, task, doors);
    });
}

function list({ vault }: Session, json: boolean): number {
  const { isRequired, isContested, passkeys } = passkeysNow(vault);
  const back = countersThatWentBack(vault);
  if (json) {
    const listed = passkeys.map(({ credential, name, enrolledAt }) => ({
      id: credential,
      name,
      enrolled: dateOf(enrolledAt),
      counterWentBack: back.has(credential) ? dateOf(back.get(credential) ?? 0) : null,
    }));
    printJson({ required: isRequired, contested: isContested, passkeys: listed });
    return EXIT.done;
  }
  const refusal = noPasskeyRefusal(vault);
  if (refusal !== undefined) throw refusal;
  if (passkeys.length === 0)
    tell(
      text`No passkey is enrolled here. ${sanitize(whyNoFirstPasskey(vault) ?? 'surety passkey add enrols one.', 'line')}`,
    );
  for (const { credential, name, enrolledAt } of passkeys) {
    say(
      text`${sanitize(name, 'line')}  ${sanitize(credential.slice(0, 16), 'line')}  enrolled ${sanitize(dateOf(enrolledAt), 'line')}`,
    );
    const at = back.get(credential);
    if (at !== undefined) tell(sanitize(wentBack(dateOf(at)), 'line'), 'warning');
  }
  if (isRequired)
    tell(
      text`In this store a yes counts only with a passkey. If you have none of them any more, surety passkey reset takes the recovery code.`,
    );
  return EXIT.done;
}

function wentBack(date: string): string {
  return `  Its counter went back on ${date}: another authenticator may have a copy of this passkey. What it signs still counts; if you use one authenticator only, enrol another passkey and remove this one.`;
}

/** At most 3, because who mistypes a code three times more likely has another one before them. */
const MOST_TRIES = 3;

/** False if the person leaves. The refusal of their last try is thrown. */
async function resetWithTypedCode(session: Session, witness: Witness, tries: number): Promise<boolean> {
  const typed = await witness.terminal.answer('The recovery code, or Enter to leave: ');
  if (typed === undefined || typed.trim() === '') return false;
  try {
    await resetWithCode(session, typed);
    return true;
  } catch (error) {
    const left = tries - 1;
    if (!(error instanceof Refusal) || error.code !== 'invalid-input' || left === 0) throw error;
    tell(sanitize(`${error.forPerson} ${left === 1 ? '1 try is' : `${left} tries are`} left.`, 'line'), 'warning');
    return resetWithTypedCode(session, witness, left);
  }
}

async function reset(session: Session, witness: Witness): Promise<number> {
  refuseTakingBack(session);
  tell(text`The recovery code ends the requirement and removes every passkey of this store.`, 'strong');
  const { codesInForce } = passkeysNow(session.vault);
  if (codesInForce > 1)
    tell(
      text`${codesInForce} requirements are in force here, each with a recovery code of its own. The first code removes every passkey; a yes counts again after the last one. With a passkey, surety passkey release ends them all.`,
      'warning',
    );
  if (!(await resetWithTypedCode(session, witness, MOST_TRIES))) {
    tell(text`Nothing was changed.`);
    return EXIT.failed;
  }
  if (passkeysNow(session.vault).isRequired) {
    tell(
      text`This code ended its requirement, and every passkey is removed. Another requirement is in force: run surety passkey reset again, with its own code. Until then nothing can become verified here.`,
      'warning',
    );
    return EXIT.failed;
  }
  tell(text`Done. A yes counts again without a passkey; surety passkey add enrols a new one.`);
  return EXIT.done;
}
