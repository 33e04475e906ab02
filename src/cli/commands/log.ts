import { log as entries } from '../../actions/report/log.ts';
import { openForReading } from '../../actions/session.ts';
import { idOfStem } from '../../core/memory/ids.ts';
import { sanitize, text } from '../../core/text/safe-text.ts';
import { entryAsJson, linesOfEntry } from '../ask/history.ts';
import { type Command, EXIT } from '../command.ts';
import { idIn } from '../ids.ts';
import { number } from '../options.ts';
import { personReads } from '../terminal/person-reads.ts';
import { printJson, say, tell } from '../terminal/print.ts';
import { withStore } from '../with-store.ts';

const SHOWN = 50;
const MOST = 1_000_000;

export const log: Command = {
  help: `usage: surety log [--limit N] [--json] [--root DIR] [ID]

Prints what the ledgers have on record, of one memory or of all, the newest last: when, what, from which tier to which, who
did it and through which channel a person was asked, with the level that counts here (1 terminal, 2 dialog, 3 page, 4 a
passkey's signature that was verified, 0 a yes that counts for nothing because it has none), and when the words came through
the person's prompt, if they did. It changes nothing.
The time is what the writer's clock said. What follows another entry stands after it, whatever the clocks said.
Only a person at a terminal is shown why somebody put a memory into quarantine, in their words.

  --limit N    the newest N entries (else ${SHOWN}, or all of one memory)
  --json       print one JSON object
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

json: {"entries": [{"at", "clock", "action", "id", "from", "to", "by": {"actor", "channel", "level", "client"}, "machine",
"reason", "settled", "replaces", "prompted", "digest", "ledger", "hash", "own", "counts", "kept"}], "earlier": how many were left out}
exit codes: 0 done, 1 failed, 64 the command line was not understood
`,
  options: { limit: 'a number' },
  switches: ['json'],
  takes: 1,
  run: async (given) => {
    const stem = idIn(given, 'log');
    const id = stem && idOfStem(stem);
    const limit = number(given, 'limit', MOST, id === undefined ? SHOWN : MOST);
    return withStore(openForReading(given.root), ({ vault }) => {
      const { entries: shown, earlier } = entries(vault, id, limit);
      if (given.switches.has('json')) {
        printJson({ entries: shown.map(entryAsJson), earlier });
        return EXIT.done;
      }
      if (earlier > 0)
        tell(sanitize(`… ${earlier} earlier; --limit ${shown.length + earlier} shows all.`, 'line'), 'label');
      if (shown.length === 0)
        tell(
          id === undefined
            ? text`The ledgers have nothing on record yet.`
            : text`The ledgers have nothing on record about this id; surety list names all memories.`,
        );
      const person = personReads();
      for (const each of shown) {
        const withReason = person || each.entry.to !== 'quarantined';
        for (const line of linesOfEntry(each, { withReason })) say(...line);
      }
      return EXIT.done;
    });
  },
};
