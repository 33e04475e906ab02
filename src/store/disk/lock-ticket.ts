import { lstatSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';

/** A ticket is empty: a file, or a folder where an earlier version made it. */
export function isTicket(entry: Stats): boolean {
  return entry.isDirectory() || (entry.isFile() && entry.size === 0);
}

/** Removes a ticket, and nothing else that has its name. */
export function removeTicket(ticket: string): void {
  const entry = lstatSync(ticket);
  if (!isTicket(entry)) throw Object.assign(new Error('not a ticket'), { code: 'ENOTEMPTY' });
  if (entry.isDirectory()) rmdirSync(ticket);
  else unlinkSync(ticket);
}
