import { openForReading, openUnscanned, type Session } from '../../actions/session.ts';
import { sync as bringTogether } from '../../actions/sync/sync.ts';
import { failure } from '../../actions/sync/sync-failure.ts';
import { SYNC, type Synced } from '../../actions/sync/synced.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { type Command, type Given, Misuse } from '../command.ts';
import type { Style } from '../terminal/line.ts';
import { complain, printJson, tell } from '../terminal/print.ts';
import { whileWaiting } from '../terminal/while-waiting.ts';

export const sync: Command = {
  help: `usage: surety sync [--dry-run] [--pull-only | --push-only] [--take-deletions] [--new-branch] [--lock-timeout SECONDS]
                   [--json] [--root DIR]

Brings this store and its git remote together: commits what changed here, fetches, merges file by file, checks what came
in, pushes. Nothing is lost and nothing blocks: where two machines changed the same words, the text that a person vouched
for stays, else yours, and the other goes into quarantine. It makes no trust and asks nobody, so a timer can run it;
docs/sync.md has lines for cron, systemd and launchd. surety init --remote URL says what to sync with.

  --dry-run               say what would be done; no file, branch or remote is changed
  --pull-only             take in what is there, and push nothing
  --push-only             push what is here, and take in nothing
  --take-deletions        also carry out deletions of more than 5 memories and over 2 % at once, which otherwise stay,
                          and those that a sync of the last 2 days has put back or kept for that reason
  --new-branch            send the branch of this store although the remote has only others: a first sync refuses that
  --lock-timeout SECONDS  how long to wait for another sync of this store (default 30, at most 3600)
  --json                  print one JSON object: {"code", "said", "sent", "received", "removed", "pushesTo",
                          "notices":[{kind, about, what, at}]}
  --root DIR              the store's folder (else SURETY_ROOT, else ~/.surety)

exit codes: 0 synced
1 something of this machine must not leave (a secret, personal data) and stays here; a commit with such a file is not pushed
2 something that came in fails the checks; it was quarantined or left out, and the push happened; or many memories were
  taken out at once, and stay; or this machine's own ledger is in trouble, which surety doctor settles
3 a memory was changed on two machines at once and one text is in quarantine, or a verified text is displaced by another,
  or a memory that was verified here is not any more, unless a person decided so on a machine whose word counts here
  and nobody decided otherwise on another one meanwhile
4 the remote kept moving and took nothing
5 another process is at work on this store
6 anything else: no repository, no remote, git failed, the remote is out of reach, the repository is damaged
64 the command line was not understood
`,
  options: { 'lock-timeout': 'a number of seconds' },
  switches: ['dry-run', 'pull-only', 'push-only', 'take-deletions', 'new-branch', 'json'],
  takes: 0,
  failed: SYNC.failed,
  run: async (given) => {
    const { switches } = given;
    if (switches.has('pull-only') && switches.has('push-only'))
      throw new Misuse('--pull-only and --push-only exclude each other');
    const outcome = await outcomeOf(given, waitOf(given.options['lock-timeout']));
    if (switches.has('json')) {
      const { code, said, sent, received, removed, pushesTo = null, notices } = outcome;
      printJson({ code, said, sent, received, removed, pushesTo, notices });
    } else show(outcome);
    return outcome.code;
  },
};

function waitOf(written: string | undefined): number {
  if (written === undefined) return 30_000;
  if (!/^[0-9]{1,4}$/.test(written) || Number(written) > 3600)
    throw new Misuse('--lock-timeout is a number of seconds from 0 to 3600');
  return Number(written) * 1000;
}

async function outcomeOf({ root, switches }: Given, waitMs: number): Promise<Synced> {
  const dry = switches.has('dry-run');
  let session: Session | undefined;
  try {
    session = dry ? await openForReading(root) : await openUnscanned(root, waitMs);
    return await bringTogether(session, {
      dry,
      pullOnly: switches.has('pull-only'),
      pushOnly: switches.has('push-only'),
      takeDeletions: switches.has('take-deletions'),
      newBranch: switches.has('new-branch'),
      waitMs,
      whileWaiting,
    });
  } catch (error) {
    // A timer must learn from the exit code that the store cannot be opened.
    return failure(error, []);
  } finally {
    session?.vault.close();
  }
}

const STYLES: Readonly<Record<number, Style>> = { 0: 'good', 1: 'warning', 2: 'warning', 3: 'warning' };

function show({ code, said, notices }: Synced): void {
  for (const { about, what } of notices) tell(text`${sanitize(about, 'line')} ${sanitize(what, 'line')}`, 'warning');
  if (code < SYNC.rejected) tell(sanitize(said, 'line'), STYLES[code]);
  else complain(`surety: ${said}`);
}
