import { byWhom, promptedOf } from '../../actions/report/entry-words.ts';
import type { Logged } from '../../actions/report/log.ts';
import { type SafeText, sanitize, truncate, visible } from '../../core/text/safe-text.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import { type TerminalLine, TIER_STYLES } from '../terminal/line.ts';
import { windowSize } from '../terminal/print.ts';
import { quote, wrapped } from '../terminal/quote.ts';

const INDENT = 2;
const MARGIN = sanitize(' '.repeat(INDENT), 'body');

/** Lays out a ledger entry: when, what, who, through which channel; then the reason. */
export function linesOfEntry(logged: Logged, { withReason }: { readonly withReason: boolean }): TerminalLine[] {
  const { entry } = logged;
  // An entry's own time is never before the one before it, so after a clock that was ahead once it is false.
  const { from, to, at, clock = at, action } = entry;
  const became = to === null ? '' : `${from ?? 'new'} → ${to}`;
  // Who it was is ours but for the machine's name, which is cut by itself: why an entry counts for nothing is read whole.
  const words = [...[clock, action, shortId(entry.id)].map(printable), became, whoOf(logged)].filter(
    (part) => part !== '',
  );
  const reason = withReason && entry.reason !== null ? visible(entry.reason, 'line') : undefined;
  const { width } = windowSize();
  const [first, ...more] = wrapped(sanitize(words.join('  '), 'body'), width - INDENT);
  return [
    ...(first === undefined ? [] : [withTier(first, to)]),
    ...more.map((row): TerminalLine => [MARGIN, ...withTier(row, to)]),
    ...promptedLines(entry, width),
    ...(reason === undefined ? [] : quote(truncate(reason, 300), width - INDENT).map(indented)),
  ];
}

/** Actor, channel and level. */
function whoOf({ entry, own, machine, counts, kept, level }: Logged): string {
  const where = own ? '' : ` on ${printable(machine)}`;
  const worth = kept ? '; kept by this machine only' : counts ? '' : '; cannot raise anything here';
  return `${byWhom(entry.by, level)}${where}${worth}`;
}

/** Makes another machine's ledger text safe to print. */
function printable(text: string): string {
  return truncate(visible(text, 'line'), 80).toString();
}

function shortId(id: string): string {
  return /^[0-9a-f]{64}$/.test(id) ? `ledger ${id.slice(0, 16)}…` : id;
}

/** Colours the tier that the memory got. */
function withTier(row: SafeText, to: Tier | null): TerminalLine {
  const [before, after] = to === null ? [] : row.toString().split(`→ ${to}`);
  if (to === null || before === undefined || after === undefined) return [row];
  const piece = (words: string) => sanitize(words, 'body');
  return [piece(`${before}→ `), [TIER_STYLES[to], piece(to)], piece(after)];
}

function promptedLines(entry: Logged['entry'], width: number): TerminalLine[] {
  const words = promptedOf(entry);
  if (words === undefined) return [];
  return wrapped(sanitize(words, 'line'), width - INDENT).map((row): TerminalLine => [MARGIN, ['label', row]]);
}

function indented(row: SafeText): TerminalLine {
  return [MARGIN, row];
}

/** Leaves out the reason, because a reason for a quarantine may quote the text. */
export function entryAsJson({ fingerprint, entry, hash, own, counts, kept, level }: Logged) {
  const short = (text: unknown) => (typeof text === 'string' ? truncate(sanitize(text, 'line'), 300) : null);
  const { at, clock = at, machine, by, action, id, from, to, digest, reason, settled, replaces, prompted } = entry;
  return {
    at,
    clock,
    action: short(action),
    id: short(id),
    from,
    to,
    by: { actor: by.actor, channel: short(by.channel), level, client: short(by.client) },
    machine: short(machine),
    reason: to === 'quarantined' ? null : short(reason),
    settled: settled.slice(0, 100).map(short),
    replaces: short(replaces),
    prompted: short(prompted),
    digest: short(digest),
    ledger: fingerprint,
    hash,
    own,
    counts,
    kept,
  };
}
