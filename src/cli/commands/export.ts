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

export const exporting: Command = {
  help: `usage: surety export [--tier T] [--json] [--root DIR] FOLDER

Writes the memories as plain markdown files, each byte for byte as it is in the store but that trust-level says the tier
it has, and a list of them, ${MANIFEST}. Receipts stay here: what is imported elsewhere is inferred there until a person
vouches for it, and what is imported back here has its receipt still. It changes nothing in the store.

The folder must be new or empty, or one that an export made and nobody has changed since; what that had and is no longer
in the store is taken away. What a check blocks, and what may hold a secret nobody has let pass, is left out and listed.

  --tier T     only ${TIERS.toReversed().join(', ')}; without it verified and inferred. Quarantined ones go to a person
               at a terminal only, and import takes none of them
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
        'What a quarantined memory says is given to a person at a terminal only; run it in a terminal window of your own.',
      );
    }
    const look = await openForReading(given.root);
    try {
      return await write(
        look,
        folder,
        tier === undefined ? ['verified', 'inferred'] : [tier],
        given.switches.has('json'),
      );
    } finally {
      look.vault.close();
    }
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
  const told = tiers.map((tier) => `${counts[tier]} ${tier}`).join(', ');
  tell(text`Exported to ${visible(folder, 'line')}: ${sanitize(told, 'line')}.`, 'good');
  for (const { id, why } of leftOut) tell(sanitize(`left out ${id}: ${WHY[why]}`, 'line'), 'warning');
  return EXIT.done;
}
