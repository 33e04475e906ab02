/** A day in milliseconds. */
export const DAY_MS = 86_400_000;

/** All ages are whole UTC days, so a memory has the same age in every time zone. */
export function wholeDays(from: number, to: number): number {
  return Math.floor(to / DAY_MS) - Math.floor(from / DAY_MS);
}

/** `firstSeen` is when a ledger that counts first saw exactly this text, never a date from the file. */
export function observationOver(firstSeen: number | undefined, now: number, observationDays: number): boolean {
  return firstSeen !== undefined && firstSeen <= now && wholeDays(firstSeen, now) >= observationDays;
}

/** The first moment of the day on which the observation of a text is over. */
export function observationEnds(firstSeen: number, observationDays: number): number {
  return (Math.floor(firstSeen / DAY_MS) + observationDays) * DAY_MS;
}

/** A receipt from the future means that some clock was wrong, so it counts as due. */
export function isStale(vouchedAt: number, now: number, staleDays: number): boolean {
  return wholeDays(vouchedAt, now) > staleDays || vouchedAt > now;
}

export type Retention = 'passive' | 'reported' | 'archive-candidate';

export function retention(quarantinedAt: number, now: number): Retention {
  const age = wholeDays(quarantinedAt, now);
  if (age <= 30) return 'passive';
  return age <= 90 ? 'reported' : 'archive-candidate';
}

/** `YYYY-MM-DDTHH:MM:SSZ`, the only form of a time in memory files and ledgers. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The last text that was parsed, because entries in a row often have the same time. */
let last: { readonly text: string; readonly at: number } | undefined;

/** Milliseconds of a `timestamp`; undefined for any other text (also 31 February). */
export function parseTimestamp(text: string): number | undefined {
  if (last?.text === text) return last.at;
  const at = parsed(text);
  if (at !== undefined) last = { text, at };
  return at;
}

function parsed(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return undefined;
  const at = Date.parse(text);
  // A day or an hour that does not exist leads into another day.
  return Number.isNaN(at) || new Date(at).getUTCDate() !== Number(text.slice(8, 10)) ? undefined : at;
}

export function parseDate(text: string): number | undefined {
  return parseTimestamp(`${text}T00:00:00Z`);
}
