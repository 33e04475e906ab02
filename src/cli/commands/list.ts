import { type ListedMemory, MARKS, type Mark, list as memories } from '../../actions/report/list.ts';
import { missingLine, openForReading } from '../../actions/session.ts';
import { TYPES } from '../../core/memory/limits.ts';
import { type SafeText, sanitize, text, visible } from '../../core/text/safe-text.ts';
import { dateOf, timestamp } from '../../core/trust/clocks.ts';
import { TIERS } from '../../core/trust/tiers.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { choice } from '../options.ts';
import { TIER_STYLES } from '../terminal/line.ts';
import { personReads } from '../terminal/person-reads.ts';
import { printJson, say, tell } from '../terminal/print.ts';
import { linesOfRow } from '../terminal/rows.ts';
import { withStore } from '../with-store.ts';

const SWITCHES = ['held', 'stale', 'changed'] as const satisfies readonly Mark[];

export const list: Command = {
  help: `usage: surety list [--tier T] [--type T] [--project P] [--tag T] [--held] [--stale] [--changed] [--quarantined] [--json] [--root DIR]

Lists the memories: tier, what to know about each, since when, id and name. It changes nothing. Of a quarantined memory
only the id is listed; surety show shows the rest to a person at a terminal, and surety restore brings it back.

  --tier T       only ${TIERS.toReversed().join(', ')}
  --type T       only ${TYPES.join(', ')}
  --project P    only those of this project (owner/name)
  --tag T        only those with this tag
  --held         only those held back because of a suspicious finding
  --stale        only those due to be looked at again: vouched for long ago, or on a date in the future
  --changed      only those that changed since a person vouched for them
  --quarantined  only those in quarantine, as --tier quarantined; most of them wait for nobody
  --json         print one JSON object
  --root DIR     the store's folder (else SURETY_ROOT, else ~/.surety)

With several of --held, --stale and --changed, a memory is listed that has one of them. --project and --tag leave
quarantined ones out.
json: {"memories": [{"id", "file", "tier", "reason", "type", "since", "marks", "name", "description", "project", "tags"}]};
marks are stale, changed, held, declined, conflict, blocked; of a quarantined or blocked memory name, description,
project and tags are null
exit codes: 0 done (also when there is none), 1 failed, 64 the command line was not understood
`,
  options: {
    tier: `one of ${TIERS.join(', ')}`,
    type: `one of ${TYPES.join(', ')}`,
    project: 'owner/name',
    tag: 'a tag',
  },
  switches: [...SWITCHES, 'quarantined', 'json'],
  takes: 0,
  run: async (given) => {
    const tier = choice(given, 'tier', TIERS);
    const quarantined = given.switches.has('quarantined');
    if (quarantined && tier !== undefined && tier !== 'quarantined')
      throw new Misuse('--quarantined and another --tier exclude one another');
    const filter = {
      tier: quarantined ? ('quarantined' as const) : tier,
      type: choice(given, 'type', TYPES),
      project: given.options.project,
      tag: given.options.tag,
      marks: SWITCHES.filter((each) => given.switches.has(each)),
    };
    // A person sees the end of a long list, not what stderr said above it.
    const missingAtEnd = personReads() && !isNarrowed(filter) && !given.switches.has('json');
    return withStore(openForReading(given.root, undefined, { tellMissing: !missingAtEnd }), async ({ vault }) => {
      const found = memories(vault, filter);
      if (given.switches.has('json')) printJson({ memories: found.map(asJson).toArray() });
      else {
        const missing = isNarrowed(filter) ? 0 : vault.missing.all().length;
        await show(vault, found, missing > 0 ? undefined : isNarrowed(filter) ? NO_SUCH : NONE_YET);
        if (filter.tier === 'quarantined' && personReads()) tell(TO_RESTORE, 'label');
        if (missingAtEnd && missing > 0) tell(sanitize(missingLine(missing), 'line'), 'danger');
      }
      return EXIT.done;
    });
  },
};

const MARK_WIDTH = Math.max(...MARKS.map((mark) => mark.length));
/** At most 26, because a short name still has room beside it in a window of 80 columns. */
const ID_WIDTH = 26;

/** Yields after every 100 rows, because a closed pipe is noticed only then. */
const PORTION = 100;

const NO_SUCH = text`No memory fits what you asked for.`;
const TO_RESTORE = text`surety show ID shows what one says, and surety restore ID brings it back with your yes, unless another text has its place.`;
const NONE_YET = text`There are no memories yet. Agents propose them; surety add takes one in your own words.`;

function isNarrowed({ marks, ...fields }: { marks: readonly string[]; [field: string]: unknown }): boolean {
  return marks.length > 0 || Object.values(fields).some((value) => value !== undefined);
}

async function show(vault: Vault, found: Iterable<ListedMemory>, otherwise: SafeText | undefined): Promise<void> {
  let rows = 0;
  for (const { id, file, tier, marks, since, memory } of found) {
    if (++rows % PORTION === 0) await new Promise((done) => setImmediate(done));
    const cells = [
      { words: tier, width: 11, style: TIER_STYLES[tier] },
      { words: marks.join(' '), width: MARK_WIDTH, style: 'warning' as const },
      { words: since === undefined ? '' : dateOf(since), width: 10 },
      { words: handleOf(vault, file) ?? id, width: ID_WIDTH },
    ];
    const stored = memory === undefined ? undefined : visible(memory.name, 'line');
    for (const line of linesOfRow({ cells, stored })) say(...line);
  }
  if (rows === 0 && otherwise !== undefined) tell(otherwise);
}

/**
 * What surety show takes for this file. In quarantine several files can carry one id, and the file's name tells them apart;
 * where a memory in its place has that name too, the folder does.
 */
function handleOf(vault: Vault, file: string): string | undefined {
  const [, folder, stem] = /(?:^|\/)([^/]+)\/([^/]+)\.md$/.exec(file) ?? [];
  const isShared = folder === 'quarantine' && stem !== undefined && vault.load(stem)?.place === 'memories';
  return isShared ? `quarantine/${stem}` : stem;
}

function asJson({ id, file, tier, reason, type, since, marks, memory }: ListedMemory) {
  return {
    id,
    file,
    tier,
    reason,
    type,
    since: since === undefined ? null : timestamp(since),
    marks,
    name: memory === undefined ? null : sanitize(memory.name, 'line'),
    description: memory === undefined ? null : sanitize(memory.description, 'line'),
    project: memory?.project ? sanitize(memory.project, 'line') : null,
    tags: memory?.tags?.map((tag) => sanitize(tag, 'line')) ?? null,
  };
}
