import { type Chart, chartsOf } from '../../actions/report/charts.ts';
import { type Status, statusOf } from '../../actions/report/status.ts';
import { countsInWords, goesThrough } from '../../actions/review-queue.ts';
import { missingLine, openForReading } from '../../actions/session.ts';
import { TYPES } from '../../core/memory/limits.ts';
import { visible } from '../../core/text/safe-text.ts';
import type { LedgerReport } from '../../store/vault/vault.ts';
import { TRUST_MODEL, VALIDATION_RULES, VERSION } from '../../version.ts';
import { ours } from '../ask/sheet.ts';
import { type Command, EXIT } from '../command.ts';
import { chartLines } from '../terminal/chart.ts';
import type { Style } from '../terminal/line.ts';
import { printJson, say, windowSize } from '../terminal/print.ts';
import { withStore } from '../with-store.ts';

export const status: Command = {
  help: `usage: surety status [--chart] [--json] [--root DIR]

Says how the store is, on one screen: where it lies, how many memories it holds, what waits for you, whether its ledgers are
whole, how the search index is, and which settings protect less than the defaults or are not understood. It changes nothing.

  --chart      draw charts instead: memories by tier and type over time, yes and no, what waits and for how long, what
               agents used, when memories become stale, which machines vouch for them
  --json       print one JSON object
  --root DIR   the store's folder (else SURETY_ROOT, else ~/.surety)

json: {"store", "key": {"fingerprint", "machine", "trouble"}, "memories": {"verified", "stale", "inferred", "changed", "quarantined"},
"types": {"user", "feedback", "project", "reference"}, "waiting": {"requests", "missing", "displaced", "changed",
"conflicting", "questionable", "held", "stale", "ready", "quarantined"}, "inObservation": {"count", "until"}, "notServed",
"ledgers": [{"fingerprint", "own", "trusted", "counts", "entries", "trouble", "advice"}],
"index": {"complete", "bytes"}, "looserThanDefaults": [], "settingsUnclear": [], "passkeyRequired",
"passkeysContested": why no passkey counts, or null,
"project": {"name", "notLoaded": [{"project", "memories", "why"}]},
"sync": {"at", "code", "said", "notices": [{"kind", "about", "what", "at"}]} or null,
"versions": {"surety", "trustModel", "validationRules", "checks"}};
with --chart: {"charts": [{"id", "title", "kind", "parts": [], "points": [{"label", "values": []}]}]};
stale ones are among the verified, changed ones among the inferred; bytes is null where the index is kept in memory
exit codes: 0 done, whatever it says, 1 failed, 64 the command line was not understood
`,
  options: {},
  switches: ['json', 'chart'],
  takes: 0,
  run: ({ root, switches }) =>
    // The status itself reports what would go to stderr.
    withStore(
      openForReading(root, () => {}),
      async (look) => {
        if (switches.has('chart')) {
          const charts = await chartsOf(look);
          if (switches.has('json')) printJson({ charts: charts.map(chartJson) });
          else showCharts(charts);
          return EXIT.done;
        }
        const found = statusOf(look);
        if (switches.has('json')) printJson(asJson(found));
        else showStatus(found);
        return EXIT.done;
      },
    ),
};

function chartJson({ id, title, kind, parts, points }: Chart) {
  return { id, title, kind, parts, points: points.map(({ label, values }) => ({ label: label.toString(), values })) };
}

function showCharts(charts: readonly Chart[]): void {
  for (const [i, chart] of charts.entries()) {
    if (i > 0) say();
    for (const line of chartLines(chart)) say(...line);
  }
}

const OWN_LEDGER =
  'this machine’s own ledger is in trouble, so what you vouched for here is advisory; surety doctor settles it';

export function showStatus(found: Status): void {
  const { store, key, memories, types, waiting, inObservation, notServed, ledgers, index, looserThanDefaults, sync } =
    found;
  const { name: project, notLoaded } = found.project;
  const line = (label: string, sentence: string, style?: Style) => {
    for (const each of ours(label, sentence, windowSize().width, style)) say(...each);
  };
  const { verified, stale, inferred, changed, quarantined } = memories;
  const among = (count: number, what: string) => (count === 0 ? '' : ` (${count} ${what})`);
  line('store', visible(store, 'line').toString());
  line(
    'memories',
    `${verified} verified${among(stale, 'stale')}, ${inferred} inferred${among(changed, 'changed')}, ${quarantined} quarantined`,
  );
  line('', TYPES.map((type) => `${types[type]} ${type}`).join(', '));
  const waits = countsInWords(waiting);
  const isTroubled = ledgers.some(({ own, trouble }) => own && trouble !== undefined);
  if (isTroubled) line('waiting', OWN_LEDGER, 'danger');
  if (waits.length === 0 && isTroubled) line('', 'nothing else waits for you');
  else if (waits.length === 0) line('waiting', 'nothing waits for you');
  else line('waiting', `${waits.join(', ')}; ${goesThrough(waiting, found.reviewedWith)}`, 'warning');
  if (inObservation.count > 0)
    line(
      'new',
      `${inObservation.count} in observation${inObservation.until === null ? '' : `, the first until ${inObservation.until}`}`,
    );
  if (waiting.missing > 0) line('missing', missingLine(waiting.missing), 'danger');
  if (project !== null) line('project', `${project}, in this folder`);
  for (const { sentence } of notLoaded)
    line('project', `${sentence} surety doctor, run in this folder, settles it.`, 'warning');
  if (notServed > 0)
    line(
      'not served',
      `${notServed === 1 ? '1 file' : `${notServed} files`} in the folders; surety doctor tells why`,
      'warning',
    );
  for (const [i, each] of ledgers.entries()) line(i === 0 ? 'ledgers' : '', ledger(each), each.trouble && 'danger');
  if (sync !== null) {
    line('sync', `${sync.at.slice(0, 16).replace('T', ' ')} UTC: ${sync.said}`, sync.code > 0 ? 'warning' : undefined);
    for (const { about, what } of sync.notices) if (what !== sync.said) line('', `${about} ${what}`, 'warning');
  }
  if (key.trouble !== null) line('key', key.trouble, 'danger');
  else line('key', `${key.fingerprint.slice(0, 16)}… (${visible(key.machine, 'line')})`);
  if (found.passkeyRequired)
    line('passkey', 'required: nothing becomes verified in this store without one; surety passkey shows more');
  if (found.passkeysContested !== null) line('passkey', found.passkeysContested, 'danger');
  line('index', `${completeness(index)}, ${size(index.bytes)}`, index.unwritten > 0 ? 'warning' : undefined);
  const settings = [...found.settingsUnclear, ...looserThanDefaults];
  if (settings.length === 0) line('settings', 'none protects less than the defaults');
  for (const each of settings) line('settings', each, 'warning');
}

function ledger({ fingerprint, own, trusted, entries, trouble }: LedgerReport): string {
  const whose = own ? 'this machine' : trusted ? 'a trusted machine' : 'a machine that is not trusted';
  const state = trouble === undefined ? 'whole' : `in trouble (${trouble}), so it raises nothing; surety doctor helps`;
  return `${fingerprint.slice(0, 16)}… of ${whose}: ${entries} ${entries === 1 ? 'entry' : 'entries'}, ${state}`;
}

function completeness({ complete, unwritten }: Status['index']): string {
  if (unwritten > 0) return 'not complete, because the disk is full; surety doctor tells more';
  return complete ? 'complete' : 'not complete yet';
}

function size(bytes: number | null): string {
  if (bytes === null) return 'kept in memory, because the cache folder takes none';
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function asJson({ ledgers, checks, ...rest }: Status) {
  return {
    store: rest.store,
    key: rest.key,
    memories: rest.memories,
    types: rest.types,
    waiting: rest.waiting,
    inObservation: rest.inObservation,
    notServed: rest.notServed,
    ledgers: ledgers.map(({ fingerprint, own, trusted, raises, entries, trouble, advice }) => ({
      fingerprint,
      own,
      trusted,
      counts: raises,
      entries,
      trouble: trouble ?? null,
      advice: advice || null,
    })),
    index: { complete: rest.index.complete, bytes: rest.index.bytes },
    looserThanDefaults: rest.looserThanDefaults,
    settingsUnclear: rest.settingsUnclear,
    passkeyRequired: rest.passkeyRequired,
    passkeysContested: rest.passkeysContested,
    project: {
      name: rest.project.name,
      notLoaded: rest.project.notLoaded.map(({ project, count, why }) => ({ project, memories: count, why })),
    },
    sync: rest.sync,
    versions: { surety: VERSION, trustModel: TRUST_MODEL, validationRules: VALIDATION_RULES, checks },
  };
}
