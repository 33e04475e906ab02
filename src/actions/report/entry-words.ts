import type { By } from '../../core/ledger/entry.ts';

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

/**
 * How an entry came about: channel, and for a person the level that counts here. Another machine's ledger may name an
 * unknown channel.
 */
export function wayOf({ actor, channel }: Pick<By, 'actor' | 'channel'>, level: number): string {
  const words: string | undefined = Object.hasOwn(CHANNEL_WORDS, channel) ? CHANNEL_WORDS[channel] : undefined;
  return [words, ...(actor === 'operator' ? [LEVEL_WORDS[level] ?? `level ${level}`] : [])].filter(Boolean).join(', ');
}
