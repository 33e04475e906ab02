import type { By, Entry } from '../../core/ledger/entry.ts';
import { parseTimestamp } from '../../core/trust/clocks.ts';
import { promptedWords } from '../history.ts';

/** Who wrote a ledger entry, in words for a person. */
export const ACTOR_WORDS: Record<By['actor'], string> = {
  operator: 'a person',
  agent: 'an agent',
  import: 'an import',
  check: 'a check',
};

const CHANNEL_WORDS: Record<By['channel'], string> = {
  terminal: 'at a terminal',
  dialog: 'in the client’s dialog',
  page: 'on the page',
  tool: 'through a tool',
  command: 'with a command',
  reconcile: 'looking over the files',
};

const LEVEL_WORDS: Readonly<Record<number, string>> = {
  0: 'counts for nothing: no passkey that counts signed it (level 0)',
  4: 'level 4, signed by a passkey',
};

type EntryAuthor = Pick<By, 'actor'> & { readonly channel?: By['channel'] | undefined };

/** Who wrote an entry and how, with the level that counts here. */
export function byWhom(by: EntryAuthor, level: number): string {
  const way = wayOf(by, level);
  return way === '' ? ACTOR_WORDS[by.actor] : `${ACTOR_WORDS[by.actor]} (${way})`;
}

/**
 * How an entry came about: channel, and for a person the level that counts here. Another machine's ledger may name an
 * unknown channel.
 */
export function wayOf({ actor, channel }: EntryAuthor, level: number): string {
  const words = channel !== undefined && Object.hasOwn(CHANNEL_WORDS, channel) ? CHANNEL_WORDS[channel] : undefined;
  return [words, ...(actor === 'operator' ? [LEVEL_WORDS[level] ?? `level ${level}`] : [])].filter(Boolean).join(', ');
}

/** When its words came through the person's prompt, as far as the times can be read. */
export function promptedOf({ prompted, at, clock = at }: Pick<Entry, 'prompted' | 'at' | 'clock'>): string | undefined {
  const [came, entered] = [parseTimestamp(prompted ?? ''), parseTimestamp(clock)];
  return came === undefined ? undefined : promptedWords(came, entered ?? came);
}
