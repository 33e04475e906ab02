import { homedir } from 'node:os';
import { join } from 'node:path';
import { CLIENTS } from '../../core/clients/clients.ts';
import { knownTrouble } from '../../core/system-errors.ts';
import { Disk } from '../../store/disk/disk.ts';
import {
  closeToOthers,
  leftovers,
  lockRefusal,
  lockState,
  missingFolders,
  notWritable,
  openToOthers,
  removeAbandonedTicket,
  removeLeftover,
  rightsUnread,
} from '../../store/maintenance/folder-health.ts';
import type { Places } from '../../store/places/places.ts';
import { looserThanDefaults, readSettings } from '../../store/places/settings.ts';
import { hasPlugin, type Registration, registrationIn } from '../../store/programs/client-files.ts';
import { about, inVault, type Problem, type ProblemRow, problemsOf, when } from './problem.ts';

/** Problems in the store's and this machine's folders that show without opening the store. */
export const PLACE_PROBLEMS: readonly ProblemRow<Places>[] = [
  {
    code: 'folder-missing',
    severity: 'problem',
    find: (places) => about(missingFolders(places)),
    what: 'Folders that belong to the store are missing.',
    means: 'What lay in them is gone, unless you have a backup or can fetch it from another machine.',
    advice: 'Put them back from a backup, or have them made again, empty.',
    repair: {
      name: 'make-folders',
      question: 'Make the missing folders again, empty?',
      done: 'The folders are there.',
      apply: (places) => inVault(places, () => {}),
    },
  },
  {
    code: 'not-writable',
    severity: 'problem',
    find: (places) => about(notWritable(places)),
    what: 'Folders cannot be written.',
    means: 'Memories are found and read, but none can be proposed, vouched for or put into quarantine.',
    advice: 'Give yourself the right to write there, or mount the disk so that it can be written.',
  },
  {
    code: 'open-to-others',
    severity: 'problem',
    find: (places) => about(openToOthers(places)),
    what: 'Other accounts of this machine may read or write what is yours alone.',
    means: 'Another account that reads the key can sign in your name, and the records say what you keep.',
    advice: 'Take the rights of others away, with chmod go= on each or by answering yes here.',
    repair: {
      name: 'close-to-others',
      question: 'Take the rights of others away from these?',
      done: 'They are yours alone now.',
      apply: (_, paths) => paths.forEach(closeToOthers),
    },
  },
  {
    code: 'rights-unread',
    severity: 'note',
    find: (places) => about(rightsUnread(places)),
    what: 'Who may read the store and the key is not looked at on Windows.',
    means:
      'Surety sets no access lists: what lies in your profile is closed to other accounts by Windows, a folder elsewhere may not be.',
    advice: 'Keep the store in your profile, or look with icacls at who may read its folder.',
  },
  {
    code: 'leftovers',
    severity: 'note',
    find: (places) => about(leftovers(places, Date.now())),
    what: 'Files of writes that were interrupted lie around.',
    means: 'Nothing reads them, and what was being written was never acknowledged.',
    advice: 'They can be removed.',
    repair: {
      name: 'remove-leftovers',
      question: 'Remove these files?',
      done: 'They are gone.',
      apply: (_, paths) => paths.forEach(removeLeftover),
    },
  },
  {
    code: 'lock-foreign',
    severity: 'problem',
    find: (places) => about(lockState(places, Date.now()) === 'foreign' ? [places.guard] : []),
    what: 'What lies in the lock’s folder is not what Surety puts there.',
    means: 'Nobody can write to the store: every proposal and every decision waits and fails.',
    advice: 'Look at what it is, and delete the folder while no server runs; Surety makes it again.',
  },
  {
    code: 'lock-impossible',
    severity: 'problem',
    find: (places) => {
      const isSaid = notWritable(places).includes(places.guard) || lockState(places, Date.now()) === 'foreign';
      const code = isSaid ? undefined : lockRefusal(places);
      const trouble = code === undefined ? undefined : knownTrouble(code);
      return when(code !== undefined, {
        about: [places.guard],
        what: `The store’s lock cannot be taken (${trouble?.why ?? code}).`,
        ...(trouble && { advice: `${trouble.advice}, then run surety doctor again.` }),
      });
    },
    what: 'The store’s lock cannot be taken.',
    means: 'Nobody can write to the store: every proposal and every decision fails. What is there is found and read.',
    advice: 'Let yourself write in the store’s folder and in .surety below it, then run surety doctor again.',
  },
  {
    code: 'lock-abandoned',
    severity: 'note',
    find: (places) => about(lockState(places, Date.now()) === 'abandoned' ? [places.guard] : []),
    what: 'A process that is gone has left its ticket in the queue for writing.',
    means: 'The next writer waits a few seconds until it takes it away.',
    advice: 'Nothing has to be done; it can be removed.',
    repair: {
      name: 'remove-ticket',
      question: 'Remove the ticket?',
      done: 'It is gone.',
      apply: (places) => removeAbandonedTicket(places, Date.now()),
    },
  },
  {
    code: 'settings-unclear',
    severity: 'problem',
    find: ({ config }) =>
      readSettings(config, new Disk()).warnings.map((what) => ({ about: settingsFile(config), what: `${what}.` })),
    what: 'A setting is not understood.',
    means: 'What you meant to set is not in force.',
    advice: 'Correct this file.',
  },
  {
    code: 'settings-looser',
    severity: 'note',
    find: ({ config }) =>
      looserThanDefaults(readSettings(config, new Disk()).settings).map((what) => ({
        about: settingsFile(config),
        what: `${what}.`,
      })),
    what: 'A setting is looser than the default.',
    means: 'It protects less than Surety does by itself, and an agent could have written it.',
    advice: 'If it was not you, take it out of this file.',
  },
];

/** Named in full: people look for it in the store's folder. */
function settingsFile(config: string): string[] {
  return [join(config, 'config.json')];
}

/** Whether the clients on this machine would find the server and its hooks. */
export function clientProblems(): Problem[] {
  const at = { home: homedir(), env: process.env };
  return CLIENTS.flatMap(({ name, setup }) => {
    if (setup === undefined) return [];
    const isPlugin = hasPlugin(setup, at);
    const found = setup.files.map((file) => ({ holds: file.holds, ...registrationIn(file, at) }));
    // With the plugin, a file without an entry is as it should be.
    const looked = found.filter(({ state }) => !(isPlugin && ['not-registered', 'left-alone'].includes(state)));
    return [
      ...looked.flatMap((file) =>
        problemsOf(file.holds === 'server' ? serverProblems(name) : hookProblems(name), file),
      ),
      ...(isPlugin ? problemsOf(pluginProblems(name), looked) : []),
    ];
  });
}

function pluginProblems(client: string): readonly ProblemRow<readonly Registration[]>[] {
  return [
    {
      code: 'client-twice',
      severity: 'problem',
      find: (files) => about(files.filter(({ state }) => state === 'registered').map(({ path }) => path)),
      what: `${client} has Surety twice: as a plugin, and in its own files.`,
      means: 'Each session starts two servers, and the model sees every tool under two names.',
      advice: 'Run surety init --undo, which takes it out of the files; the plugin stays.',
    },
  ];
}

const inState = (wanted: Registration['state']) => (file: Registration) =>
  about(file.state === wanted ? [file.path] : []);

/** A file that init leaves alone is mended by hand. */
const isGone = ({ state, path, why }: Registration): Partial<Problem>[] => {
  if (state !== 'gone') return [];
  const advice = `surety init leaves this file alone, because ${why}. Mend it by hand with the lines in docs/clients.md, or set that right and run surety init from where Surety is now.`;
  return [{ about: [path], ...(why !== undefined && { advice }) }];
};

const withReason = (wanted: Registration['state'], what: (why: string) => string) => (file: Registration) =>
  when(file.state === wanted, { about: [file.path], what: what(file.why ?? '') });

function serverProblems(client: string): readonly ProblemRow<Registration>[] {
  return [
    {
      code: 'client-unreadable',
      severity: 'note',
      find: withReason('unreadable', (why) => `A file of ${client} cannot be read: ${why}.`),
      what: `A file of ${client} cannot be read.`,
      means: 'Whether Surety is registered there cannot be seen.',
      advice: `Start ${client}, which repairs or reports it; nothing of it is changed here.`,
    },
    {
      code: 'client-left-alone',
      severity: 'note',
      find: withReason(
        'left-alone',
        (why) => `Surety cannot be registered with ${client}: its file is left alone, because ${why}.`,
      ),
      what: `Surety cannot be registered with ${client}.`,
      means: 'Its sessions have no memory, and surety init does not change that file.',
      advice:
        'Mend the file by hand or let yourself write it, and give anything else called surety another name; then run surety init. docs/clients.md has the lines to add by hand.',
    },
    {
      code: 'client-not-registered',
      severity: 'note',
      find: inState('not-registered'),
      what: `${client} is used here and does not know Surety.`,
      means: 'Its sessions have no memory.',
      advice: 'Run surety init: it shows what it would write there, and asks.',
    },
    {
      code: 'client-gone',
      severity: 'problem',
      find: isGone,
      what: `${client} starts Surety from a place where it is not any more.`,
      means: 'Its sessions have no memory, and it reports a server that failed.',
      advice: 'Run surety init from where Surety is now: it shows what it would write there, and asks.',
    },
  ];
}

/** Missing hooks are a choice; hooks that fail at every step are a problem. */
function hookProblems(client: string): readonly ProblemRow<Registration>[] {
  return [
    {
      code: 'hooks-gone',
      severity: 'problem',
      find: isGone,
      what: `${client}’s hooks start Surety from a place where it is not any more.`,
      means: 'Every session and every tool call reports a hook that failed, and nothing guards the store.',
      advice: 'Run surety init from where it is now.',
    },
  ];
}
