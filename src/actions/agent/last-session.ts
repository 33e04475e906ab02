import { join } from 'node:path';
import { type SafeText, sanitize, truncate, visible } from '../../core/text/safe-text.ts';
import { parseTimestamp, timestamp } from '../../core/trust/clocks.ts';
import { Disk } from '../../store/disk/disk.ts';
import type { Session } from '../session.ts';

/** At most three names, because it is one line. */
const MOST_NAMED = 3;
const LONGEST_NAME = 50;
/** Marks that look like those around a name, so that no name ends before it does. */
const QUOTES = /[“”„‟❝❞〝〞〟＂]/g;

/**
 * What was proposed since the last session began, in one sentence for the person: an agent that only said it saved something is
 * noticed. Null in the first session. The next one counts from `now`.
 */
export function lastSessionSentence({ vault, audit }: Session, now: number): string | null {
  const disk = new Disk();
  const file = join(vault.places.state, 'last-session');
  const entry = disk.read(file, 100);
  const since = entry.kind === 'file' ? parseTimestamp(entry.bytes.toString('utf8').trim()) : undefined;
  disk.replaceCache(file, [Buffer.from(`${timestamp(now)}\n`)]);
  if (since === undefined) return null;
  const attempts = audit.recent(since).filter(({ action }) => action === 'propose_memory');
  const ids = attempts.flatMap(({ outcome, id }) => (outcome === 'accepted' && id !== undefined ? [id] : []));
  const refused = attempts.filter(({ outcome }) => outcome === 'refused' || outcome === 'failed').length;
  return `The last session proposed ${named(vault, [...new Set(ids)])}${refused === 0 ? '' : `; ${refused} refused`}.`;
}

function named(vault: Session['vault'], ids: readonly string[]): string {
  if (ids.length === 0) return 'nothing';
  const names = ids.slice(0, MOST_NAMED).map((id) => `“${nameOf(vault, id)}”`);
  const more = ids.length - names.length;
  return `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** Its id where no name may be shown. */
function nameOf(vault: Session['vault'], id: string): SafeText {
  const loaded = vault.load(id);
  const name = loaded?.standing.tier === 'quarantined' ? undefined : loaded?.shown?.name;
  const unquoted = visible(name ?? id, 'line')
    .toString()
    .replaceAll(QUOTES, "'");
  return truncate(sanitize(unquoted, 'line'), LONGEST_NAME);
}
