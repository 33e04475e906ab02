import { type Audit, audit as goThrough } from '../../actions/report/audit.ts';
import { openForReading } from '../../actions/session.ts';
import { UNUSED_DAYS } from '../../actions/usage.ts';
import type { Contradiction } from '../../core/contradictions/compare.ts';
import type { Finding } from '../../core/finding.ts';
import { anchorSentence } from '../../core/memory/anchors.ts';
import { type SafeText, sanitize, text, visible } from '../../core/text/safe-text.ts';
import type { Retention } from '../../core/trust/clocks.ts';
import { type Command, EXIT } from '../command.ts';
import { printJson, say, windowSize } from '../terminal/print.ts';
import { wrapped } from '../terminal/quote.ts';
import { withStore } from '../with-store.ts';

/** At most 100 of each kind, because a person starts with a few; --json has all. */
const SHOWN = 100;
/** At most 3 memories are named for advice that is about more; --json names all. */
const NAMED = 3;
const SEVERITIES: readonly Finding['severity'][] = ['block', 'hold', 'warn', 'info'];
const PROGRESS_MS = 5_000;
const INDENT = text`  `;
const AHEAD = 'ahead of this clock';

const WINDOWS: Record<Retention, string> = {
  passive: 'up to 30 days: nothing to do',
  reported: '31 to 90 days: decide with surety review --category quarantined',
  'archive-candidate': 'more than 90 days: it can be archived',
};

const WHY: Record<Contradiction, string> = {
  value: 'they give another number, version, date, path or name for the same thing',
  alternative: 'they say things of which only one can hold',
  negation: 'one denies what the other says',
  order: 'they put the same steps in another order',
  extent: 'one says for all what the other says for a part',
};

export const audit: Command = {
  help: `usage: surety audit [--json] [--root DIR]

Goes through every memory and reports, as markdown: what the checks find, what is stale, which memories say nearly the
same, which contradict each other as far as the words show, which anchors and mentions are lost in the repository you are
in, which point to one that is not there, how long quarantined ones have been there, how many have no hints for finding
them (asked-as), and what no agent has found or read for ${UNUSED_DAYS} days. It reports and changes nothing.

References are [[id]], [[a name]] and links to a file with an id's name. Uses are recorded on this machine, by search_memories
and read_memory, as ids and days in the cache folder; what a session is given at its start is not counted.

  --json       print one JSON object; it has all, where the report shows the first ${SHOWN} of each kind, and advice on
               how a memory reads best once for all that it is about
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

json: {"at", "store", "memories": as in surety status, "findings": [{"id", "tier", "findings": [{"class", "rule", "severity",
"field", "line", "message"}]}], "stale": [{"id", "since", "days"}], "duplicates": [{"ids": [two], "likeness"}],
"contradictions": [{"ids": [two], "why": value, alternative, negation, order or extent}],
"lostAnchors": [{"id", "path", "state": changed, moved, gone or unseen, "now"}], "lostMentions": [{"id", "names"}],
"brokenReferences": [{"id", "to", "why": missing or quarantined}], "quarantine": [{"id", "since", "days", "window": passive,
reported or archive-candidate}], "withoutHints": how many, "unused": {"recordedSince", "ids"}}; ids is null where uses were not
recorded for long enough
exit codes: 0 the report was made, whatever it says, 1 failed, 64 the command line was not understood
`,
  options: {},
  switches: ['json'],
  takes: 0,
  run: ({ root, switches }) =>
    withStore(openForReading(root), async (session) => {
      const found = await goThrough(session, progress());
      if (switches.has('json')) printJson(found);
      else for (const line of markdown(found)) put(line);
      return EXIT.done;
    }),
};

/** At a terminal a heading stands out, and an item goes on below its own words. In a pipe this is plain markdown. */
function put(line: SafeText): void {
  const words = line.toString();
  const hang = words.startsWith('- ') ? INDENT : text``;
  const rows = wrapped(line, windowSize().width - hang.length).map((row, i) => (i === 0 ? row : text`${hang}${row}`));
  for (const row of rows) say(words.startsWith('#') ? ['strong', row] : row);
}

/** Reports progress on stderr from time to time, so that a long audit does not seem to hang. */
function progress(): (done: number, of: number) => void {
  let spoke = performance.now();
  return (done, of) => {
    if (performance.now() - spoke < PROGRESS_MS) return;
    spoke = performance.now();
    process.stderr.write(`surety: looking at the memories: ${done} of ${of}\n`);
  };
}

function* markdown(found: Audit): Generator<SafeText> {
  const { verified, stale, inferred, changed, quarantined } = found.memories;
  yield ours(`# Audit of ${found.at.slice(0, 10)}`);
  yield text``;
  yield text`Store ${visible(found.store, 'line')}: ${verified} verified (${stale} stale), ${inferred} inferred (${changed} changed), ${quarantined} quarantined.`;
  yield* section('Findings', [found.findings], findingRows);
  yield* section('Stale', found.stale, ({ id, since, days }) => [
    ours(
      `- ${id}: vouched for on ${since.slice(0, 10)}, ${days < 0 ? AHEAD : `${days} days ago`}; surety review --category stale`,
    ),
  ]);
  yield* section('Near duplicates', found.duplicates, ({ ids, likeness }) => [
    ours(`- ${ids.join(' and ')}: ${Math.round(likeness * 100)} % of their words are the same`),
  ]);
  yield* section('Contradictions', found.contradictions, ({ ids, why }) => [
    ours(`- ${ids.join(' and ')}: ${WHY[why]}`),
  ]);
  yield* section('Anchors', found.lostAnchors, ({ id, ...anchor }) => [
    text`- ${sanitize(id, 'line')}: ${quoted(sanitize(anchor.path, 'line'))} ${ours(anchorSentence(anchor))}`,
  ]);
  yield* section('Mentions', found.lostMentions, ({ id, names }) =>
    names.map((name) => text`- ${sanitize(id, 'line')}: ${quoted(sanitize(name, 'line'))} is not in this repository`),
  );
  yield* section('Broken references', found.brokenReferences, ({ id, to, why }) => [
    text`- ${sanitize(id, 'line')} points to ${quoted(to)}: ${ours(why === 'missing' ? 'no memory has this id or name' : 'it is in quarantine')}`,
  ]);
  yield* section('Quarantine', found.quarantine, ({ id, since, days, window }) => [
    ours(
      `- ${id}: since ${since.slice(0, 10)}, ${days < 0 ? AHEAD : days === 1 ? '1 day' : `${days} days`} (${WINDOWS[window]})`,
    ),
  ]);
  yield text``;
  yield text`## Without hints (${found.withoutHints})`;
  yield text``;
  yield found.withoutHints === 0
    ? text`None.`
    : text`A memory without hints (asked-as) is found by its own words only. In the prompt memory-review an agent offers to write hints.`;
  const { ids, recordedSince } = found.unused;
  if (ids !== null) yield* section('Unused', ids, (id) => [ours(`- ${id}: not found or read for ${UNUSED_DAYS} days`)]);
  else {
    yield text``;
    yield text`## Unused`;
    yield text``;
    if (recordedSince === null) yield text`Not known: no use was recorded on this machine yet.`;
    else
      yield ours(
        `Not known yet: uses are recorded since ${recordedSince.slice(0, 10)}, and this takes ${UNUSED_DAYS} days.`,
      );
  }
}

/** The worst first. Advice on how a memory reads best stands once for all that it is about: it would be five rows for each file. */
function findingRows(found: Audit['findings']): SafeText[] {
  const all = found.flatMap(({ id, tier, findings }) => findings.map((finding) => ({ ...finding, id, tier })));
  const advice = Map.groupBy(all, ({ class: kind, message }) => (kind === 'semantics' ? message : undefined));
  const rows = all
    .filter(({ class: kind, message }) => kind !== 'semantics' || (advice.get(message)?.length ?? 0) <= NAMED)
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
    .map(({ id, tier, severity, field, line, message, rule }) =>
      ours(`- ${id} (${tier}): ${severity}, ${field}, line ${line}: ${message} (${rule})`),
    );
  const shared = [...advice].flatMap(([message, each]) => {
    const named = each.slice(0, NAMED).map(({ id }) => id);
    return message === undefined || each.length <= NAMED
      ? []
      : ours(`- ${each.length} memories, such as ${named.join(', ')}: ${message} (${each[0]?.rule})`);
  });
  return [...rows, ...shared];
}

function* section<T>(title: string, all: readonly T[], rows: (each: T) => readonly SafeText[]): Generator<SafeText> {
  const lines = all.flatMap(rows);
  yield text``;
  yield ours(`## ${title} (${lines.length})`);
  yield text``;
  if (lines.length === 0) yield text`None.`;
  yield* lines.slice(0, SHOWN);
  if (lines.length > SHOWN) yield ours(`- and ${lines.length - SHOWN} more; --json has all`);
}

/** A memory's own words as inline code that they cannot end. */
function quoted(stored: SafeText): SafeText {
  return text`\`${visible(stored.toString().replaceAll('`', "'"), 'line')}\``;
}

function ours(sentence: string): SafeText {
  return sanitize(sentence, 'line');
}
