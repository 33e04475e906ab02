import { search as find, type Hit } from '../../actions/agent/search.ts';
import { projectHere } from '../../actions/project-here.ts';
import { openForReading } from '../../actions/session.ts';
import { LONGEST_QUERY, TYPES } from '../../core/memory/limits.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { choice, number } from '../options.ts';
import { TIER_STYLES } from '../terminal/line.ts';
import { printJson, say, tell, windowSize } from '../terminal/print.ts';
import { quote } from '../terminal/quote.ts';
import { withStore } from '../with-store.ts';

const MOST = 20;
const TIERS_FOUND = ['verified', 'inferred'] as const;

export const search: Command = {
  help: `usage: surety search [--limit N] [--type T] [--project P] [--tier T] [--json] [--root DIR] WORD…

Looks for memories by plain words, as agents do: the same order, and quarantined ones are never found. It changes nothing.

  --limit N     at most N (1 to ${MOST}, else 5)
  --type T      only ${TYPES.join(', ')}
  --project P   only those of this project (owner/name)
  --tier T      only verified or only inferred
  --json        print one JSON object
  --root DIR    the store's folder (else SURETY_ROOT, else ~/.surety)

json: {"hits": [{"id", "tier", "type", "since", "stale", "held", "name", "description", "snippet"}],
      "more": how many more match, "nothing": why there is none, or null}
      and "declined": true on a hit that a person said no to, "conflictsWith": ID on one that contradicts a verified memory
exit codes: 0 done (also when nothing is found), 1 failed, 64 the command line was not understood
`,
  options: {
    limit: 'a number',
    type: `one of ${TYPES.join(', ')}`,
    project: 'owner/name',
    tier: `one of ${TIERS_FOUND.join(', ')}`,
  },
  switches: ['json'],
  takes: Number.POSITIVE_INFINITY,
  run: async (given) => {
    const query = given.rest.join(' ');
    if (query.trim() === '') throw new Misuse('surety search needs a word to look for');
    if (query.length > LONGEST_QUERY) throw new Misuse(`surety search takes at most ${LONGEST_QUERY} characters`);
    const asked = {
      query,
      limit: number(given, 'limit', MOST, 5),
      type: choice(given, 'type', TYPES),
      project: given.options.project,
      tier: choice(given, 'tier', TIERS_FOUND),
    };
    return withStore(openForReading(given.root), async ({ vault, checkout }) => {
      const { hits, more, nothing } = await find(
        vault,
        { ...asked, here: projectHere(vault.places).names },
        { checkout },
      );
      if (given.switches.has('json'))
        printJson({ hits: hits.map(({ facts, stored }) => ({ ...facts, ...stored })), more, nothing });
      else {
        for (const hit of hits) show(hit);
        if (more > 0) tell(sanitize(moreLine(more, asked.limit), 'line'), 'label');
        if (nothing !== null) tell(sanitize(nothing, 'line'));
      }
      return EXIT.done;
    });
  },
};

function moreLine(more: number, limit: number): string {
  const how =
    limit < MOST
      ? `--limit ${Math.min(MOST, limit + more)} shows more of them`
      : 'add a word, --type, --project or --tier';
  return `${more} more ${more === 1 ? 'matches' : 'match'}; ${how}.`;
}

function show({ facts, stored }: Hit): void {
  const { id, tier, stale, held, declined, conflictsWith } = facts;
  const marks = [
    ...(stale ? ['stale'] : []),
    ...(held ? ['held'] : []),
    ...(declined ? ['declined'] : []),
    ...(conflictsWith === undefined ? [] : [`conflicts with ${conflictsWith}`]),
  ];
  say(
    ['strong', sanitize(id, 'line')],
    text`  `,
    [TIER_STYLES[tier], sanitize(tier, 'line')],
    ...(marks.length === 0 ? [] : [['warning', text` ${sanitize(marks.join(' '), 'line')}`] as const]),
  );
  const quoted = (stored: SafeText) => quote(stored, windowSize().width);
  const parts = [stored.name, stored.description, stored.snippet];
  const words = parts.map(wordsOf);
  // Of equal ones the last is shown.
  const isRepeated = (own: string, at: number) =>
    words.some((other, i) => other.startsWith(own) && (other === own ? i > at : true));
  for (const row of parts.filter((_, at) => !isRepeated(words[at] ?? '', at)).flatMap(quoted)) say(row);
}

/** Without the full stop and the marks of a cut: `surety remember` makes name and description from the text's beginning. */
function wordsOf(part: SafeText): string {
  return part.toString().replaceAll(/^…|[.…\s]+$/gu, '');
}
