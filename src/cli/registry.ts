import type { ListedCommand } from './command.ts';

/**
 * Every command in the order of the help, by how often it is used; loaded on demand. To add one: a file in commands/,
 * and a line here.
 */
export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  init: {
    summary: 'create the store and this machine’s key, and set up the clients that are here; --undo takes that back',
    load: async () => (await import('./commands/init.ts')).init,
  },
  review: {
    summary: 'go through what waits for you, one memory at a time',
    load: async () => (await import('./commands/review.ts')).review,
  },
  open: {
    summary: 'see all memories in your browser, search them, and decide on what waits',
    load: async () => (await import('./commands/open.ts')).open,
  },
  remember: {
    summary: 'write down one line in your own words; it is verified by your yes',
    load: async () => (await import('./commands/remember.ts')).remember,
  },
  add: {
    summary: 'write a memory in your own words; it is verified by your yes',
    load: async () => (await import('./commands/add.ts')).add,
  },
  adopt: {
    summary: 'take a memory as your own words, changed or as it is; it is verified by your yes',
    load: async () => (await import('./commands/adopt.ts')).adopt,
  },
  promote: {
    summary: 'make a memory verified, or vouch for it again',
    load: async () => (await import('./commands/promote.ts')).promote,
  },
  demote: {
    summary: 'put a memory into quarantine',
    load: async () => (await import('./commands/demote.ts')).demote,
  },
  restore: {
    summary: 'take a memory out of quarantine',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  list: {
    summary: 'list the memories, all or some of them',
    load: async () => (await import('./commands/list.ts')).list,
  },
  show: {
    summary: 'show one memory: text, standing, findings and history',
    load: async () => (await import('./commands/show.ts')).show,
  },
  search: {
    summary: 'look for memories by words, as agents do',
    load: async () => (await import('./commands/search.ts')).search,
  },
  status: {
    summary: 'say how the store is, on one screen',
    load: async () => (await import('./commands/status.ts')).status,
  },
  log: {
    summary: 'print what the ledgers have on record',
    load: async () => (await import('./commands/log.ts')).log,
  },
  audit: {
    summary: 'report what is stale, doubled, broken, long in quarantine or unused',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  doctor: {
    summary: 'look for what is wrong, say what to do, and repair what you say yes to',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  check: {
    summary: 'run every check over files or a folder, and change nothing',
    load: async () => (await import('./commands/check.ts')).check,
  },
  backfill: {
    summary: 'fill in what found files lack, and verify them one by one',
    load: async () => (await import('./commands/backfill.ts')).backfill,
  },
  import: {
    summary: 'bring memories along from other programs and from markdown',
    load: async () => (await import('./commands/import.ts')).importing,
  },
  export: {
    summary: 'write the memories as plain files, to import elsewhere',
    load: async () => (await import('./commands/export.ts')).exporting,
  },
  archive: {
    summary: 'put away what has been in quarantine for long',
    load: async () => (await import('./commands/archive.ts')).archive,
  },
  erase: {
    summary: 'remove a memory and every copy of it for good',
    load: async () => (await import('./commands/erase.ts')).erase,
  },
  sync: {
    summary: 'bring this store and its git remote together',
    load: async () => (await import('./commands/sync.ts')).sync,
  },
  machines: {
    summary: 'list the machines of this store, trust one, distrust one, name one',
    load: async () => (await import('./commands/machines.ts')).machines,
  },
  passkey: {
    summary: 'sign what you say yes to with a fingerprint, PIN or security key',
    load: async () => (await import('./commands/passkey.ts')).passkey,
  },
  demo: {
    summary: 'a guided tour of two minutes, in a store that is thrown away',
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  completion: {
    summary: 'print what makes bash, zsh or fish complete commands and ids',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  hook: {
    summary: 'what clients run at the start of a session, at a prompt and before tools',
    load: async () => (await import('./commands/hook.ts')).hook,
  },
};
