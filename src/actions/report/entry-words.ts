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

/** How an entry came about: channel, and for a person the level. Another machine's ledger may name an unknown channel. */
export function wayOf({ actor, channel, level }: Pick<By, 'actor' | 'channel' | 'level'>): string {
  const words: string | undefined = Object.hasOwn(CHANNEL_WORDS, channel) ? CHANNEL_WORDS[channel] : undefined;
  return [words, ...(actor === 'operator' ? [`level ${level}`] : [])].filter(Boolean).join(', ');
}
