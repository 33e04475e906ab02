import { dirname, join } from 'node:path';
import { parseEntry } from '../../core/ledger/parse-entry.ts';
import { Refusal } from '../../core/refusal.ts';
import type { Disk } from '../disk/disk.ts';
import { shownPath } from '../disk/display-path.ts';
import type { Machine } from '../places/host.ts';
import type { Places } from '../places/places.ts';
import { bytesAt } from './ledger-bytes.ts';
import { LedgerLines } from './ledger-lines.ts';
import { KEY_FILE } from './machine-key.ts';

const REMEMBERED = /^heads.*\.json$/;
const LEDGER = /\.jsonl$/;
/** At most 200 ledgers are opened for their first line, because strangers may add any number. */
const MOST_LEDGERS = 200;

/**
 * Why no new key is made although none exists: this machine had a key. Its own records of this or another store show
 * that, or a ledger of this store was written by a machine of this name. With a new key, everything vouched for with
 * the old one would become advisory, so that needs a person's yes.
 */
export function lostKey(places: Places, disk: Disk, machine: Machine): Refusal | undefined {
  const isKnown = isRemembered(places, disk);
  if (!isKnown && !hasWritten(places, disk, machine)) return undefined;
  const had = isKnown
    ? 'is gone, and this machine had one'
    : 'is missing, and a machine of this name wrote to the store';
  return new Refusal(
    'key-unusable',
    `The machine key ${shownPath(join(places.config, KEY_FILE))} ${had}. No new one was made: memories are found and read, all of them as inferred, and nothing can be written. ` +
      'Put the old key back from a backup; or run surety doctor in a terminal, which makes a new one with your yes. What you vouched for then takes a new yes each, or your trust in the old ledger with surety machines trust.',
  );
}

function isRemembered({ state }: Places, disk: Disk): boolean {
  const all = dirname(state);
  return disk
    .names(all)
    .map((name) => join(all, name))
    .filter((folder) => disk.isFolder(folder))
    .some(
      (folder) =>
        disk.names(folder).some((name) => REMEMBERED.test(name)) ||
        disk.names(join(folder, 'ledgers')).some((name) => LEDGER.test(name)),
    );
}

function hasWritten({ ledger }: Places, disk: Disk, { name }: Machine): boolean {
  const paths = disk.isFolder(ledger) ? disk.names(ledger).filter((each) => LEDGER.test(each)) : [];
  return paths.slice(0, MOST_LEDGERS).some((each) => {
    for (const line of new LedgerLines(bytesAt(disk, [join(ledger, each)]))) return parseEntry(line)?.machine === name;
    return false;
  });
}
