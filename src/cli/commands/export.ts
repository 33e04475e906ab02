import { exportTo, type LeftOut, WHY } from '../../actions/exchange/export.ts';
import { openForReading, type Session } from '../../actions/session.ts';
import { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { TIERS, type Tier } from '../../core/trust/tiers.ts';
import { MANIFEST } from '../../store/exchange/export-folder.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { choice } from '../options.ts';
import { personReads } from '../terminal/person-reads.ts';
import { printJson, tell } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { withStore } from '../with-store.ts';

export const exporting: Command = {
  help: `usage: surety export [--tier T] [--json] [--root DIR] FOLDER

Writes the memories into a folder, each as a markdown file, and a list of them, ${MANIFEST}. A file has the bytes it has in
the store; only its trust-level is set to the tier that the memory has. Receipts are not exported: in another store an
imported memory is inferred until a person vouches for it there. Imported back into this store it has the tier that the
receipts here give it. Nothing in the store is changed.

The folder must be new or empty, or one that an earlier export wrote and nobody changed since. In that one, the files of
memories that are no longer in the store are removed. A memory that a check blocks, or that may hold a secret which nobody
has let pass, is not exported; the command names it.

  --tier T     only ${TIERS.toReversed().join(', ')}; without it verified and inferred. Quarantined ones are written for a
               person at a terminal only, and surety import does not take them
  --json       print one JSON object
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

--json: {"folder", "verified", "inferred", "quarantined", "leftOut": [{"id", "why"}]}, with numbers; why is one of
${Object.keys(WHY).join(', ')}
exit codes: 0 done, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: { tier: `one of ${TIERS.join(', ')}` },
  switches: ['json'],
  takes: 1,
  run: async (given) => {
    const [folder] = given.rest;
    if (folder === undefined) throw new Misuse('surety export needs a folder');
    const tier = choice(given, 'tier', TIERS);
    if (tier === 'quarantined' && !personReads()) {
      throw new Refusal(
        'needs-person',
        'What quarantined memories say is written for a person at a terminal only. Run this in a terminal window of your own.',
      );
    }
    const tiers: readonly Tier[] = tier === undefined ? ['verified', 'inferred'] : [tier];
    return withStore(openForReading(given.root), (look) => write(look, folder, tiers, given.switches.has('json')));
  },
};

async function write(session: Session, folder: string, tiers: readonly Tier[], json: boolean): Promise<number> {
  const counts: Record<Tier, number> = { verified: 0, inferred: 0, quarantined: 0 };
  const leftOut: LeftOut[] = [];
  const progress = new Progress();
  for (const step of exportTo(session, folder, tiers)) {
    if ('tier' in step) counts[step.tier] += 1;
    else leftOut.push(step);
    await progress.step();
  }
  if (json) {
    printJson({ folder, ...counts, leftOut });
    return EXIT.done;
  }
  const numbers = tiers.map((tier) => `${counts[tier]} ${tier}`).join(', ');
  tell(text`Exported to ${visible(folder, 'line')}: ${sanitize(numbers, 'line')}.`, 'good');
  for (const { id, why } of leftOut) tell(sanitize(`Not exported: ${id}, because ${WHY[why]}.`, 'line'), 'warning');
  return EXIT.done;
}
