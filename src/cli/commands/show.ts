import { isPathInQuarantine } from '../../actions/memory-state.ts';
import type { Logged } from '../../actions/report/log.ts';
import { type ShownMemory, shownMemory } from '../../actions/report/show.ts';
import { memoryFacts } from '../../actions/review/case-facts.ts';
import { sinceVouched } from '../../actions/review/review.ts';
import { onScreen } from '../../actions/review/shown.ts';
import { openForReading, type Session } from '../../actions/session.ts';
import { whyStanding } from '../../core/ledger/standing.ts';
import { type SafeText, sanitize, text } from '../../core/text/safe-text.ts';
import { dateOf, timestamp } from '../../core/trust/clocks.ts';
import { entryAsJson, linesOfEntry } from '../ask/history.ts';
import { linesOf } from '../ask/sheet.ts';
import { type Command, EXIT, Misuse } from '../command.ts';
import { idIn } from '../ids.ts';
import { personReads } from '../terminal/person-reads.ts';
import { printJson, say, tell, windowSize } from '../terminal/print.ts';
import { withStore } from '../with-store.ts';

export const show: Command = {
  help: `usage: surety show [--json] [--root DIR] ID

Shows one memory: the whole text, its standing and the reason for it, what the checks say, what changed since a person
vouched for it, which others say nearly the same, and its history from the ledgers. It changes nothing. Where a conflict
left another text of the same id in quarantine, quarantine/ID names that one.
What a quarantined memory says, or one that a check blocks, is shown to a person at a terminal only: in a pipe, with --json
and in an agent's shell there are its id, the reason and dates. A possible secret is hidden everywhere.

  --json       print one JSON object
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

json: {"id", "file", "tier", "reason", "why", "since", "marks", "type", "name", "description", "project", "tags", "body",
"findings": [{"class", "rule", "severity", "field", "line", "span": [from, to] in the text of the field where it is about one
piece of it, "message"}], "similar": [{"id", "tier"}], "history": as in surety log};
of one that is not shown all from name to findings are null, and similar and history are empty; of one whose file is gone
only id and history are there, the rest is null
exit codes: 0 done, 1 failed or no such memory, 64 the command line was not understood
`,
  options: {},
  switches: ['json'],
  takes: 1,
  run: async (given) => {
    const stem = idIn(given, 'show');
    if (stem === undefined) throw new Misuse('surety show needs an id');
    return withStore(openForReading(given.root), (session) => {
      const found = shownMemory(session, stem, isPathInQuarantine(given.rest[0] ?? ''));
      if (given.switches.has('json')) printJson('loaded' in found ? asJson(found) : gone(stem, found));
      else if (!('loaded' in found)) {
        tell(text`${whereabouts(found)} This is what the ledgers have on record:`);
        showHistory(found, personReads());
      } else if (found.listed.memory !== undefined || personReads()) showWhole(session, found);
      else showOutline(found);
      return EXIT.done;
    });
  },
};

/** Why there is no file to show, from the memory's last ledger entry. */
function whereabouts(history: readonly Logged[]): SafeText {
  const last = history.at(-1);
  if (last?.entry.action === 'erased') return text`It was erased.`;
  if (last?.entry.action !== 'archived') return text`Its file is not in the store any more.`;
  if (!last.own) return text`It was archived on another machine, which has its file.`;
  return text`It is archived: its file lies below archive/ in the store, and moved into quarantine/ it is shown again.`;
}

function showWhole(session: Session, { loaded, findings, request, former, history, hasParked }: ShownMemory): void {
  const { place, stem } = loaded;
  const parked = `another text of it lies in quarantine: surety show quarantine/${stem} shows it`;
  const sheet = {
    ...onScreen(loaded, { vouching: false }),
    findings,
    facts: [
      { label: 'file', ours: `${place}/${stem}.md` },
      ...(hasParked ? [{ label: 'also', ours: parked }] : []),
      ...memoryFacts(session, loaded, request),
    ],
    against: sinceVouched(former, loaded),
  };
  for (const line of linesOf(sheet, windowSize().width)) say(...line);
  showHistory(history, personReads());
}

function showHistory(history: ShownMemory['history'], withReasons: boolean): void {
  if (history.length > 0) say(['label', text`history`]);
  for (const each of history) {
    for (const line of linesOfEntry(each, { withReason: withReasons || each.entry.to !== 'quarantined' })) say(...line);
  }
}

function showOutline({ listed, loaded }: ShownMemory): void {
  const { id, tier, reason, since, marks } = listed;
  const state = marks.includes('blocked') ? `${tier}, and blocked by a check` : tier;
  const from = since === undefined ? '' : ` since ${dateOf(since)}`;
  tell(sanitize(`${id} is ${state}${from}: ${whyStanding(loaded.standing)} (${reason}).`, 'line'));
  tell(text`What it says is shown to a person at a terminal only.`);
}

function asJson({ listed, loaded, findings, similar, history }: ShownMemory) {
  const { id, file, tier, reason, type, since, marks, memory } = listed;
  const isShown = memory !== undefined;
  return {
    id,
    file,
    tier,
    reason,
    why: whyStanding(loaded.standing),
    since: since === undefined ? null : timestamp(since),
    marks,
    type,
    name: isShown ? sanitize(memory.name, 'line') : null,
    description: isShown ? sanitize(memory.description, 'line') : null,
    project: memory?.project ? sanitize(memory.project, 'line') : null,
    tags: memory?.tags?.map((tag) => sanitize(tag, 'line')) ?? null,
    body: isShown ? sanitize(memory.body, 'body') : null,
    findings: isShown ? findings : null,
    similar: isShown ? similar.map(({ id: other, standing }) => ({ id: other, tier: standing.tier })) : [],
    history: isShown ? history.map(entryAsJson) : [],
  };
}

function gone(id: string, history: ShownMemory['history']) {
  const nothing = { file: null, tier: null, reason: null, why: null, since: null, marks: [], type: null };
  const text = { name: null, description: null, project: null, tags: null, body: null, findings: null };
  return { id, ...nothing, ...text, similar: [], history: history.map(entryAsJson) };
}
