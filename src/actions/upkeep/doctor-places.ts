import { homedir } from 'node:os';
import { CLIENTS } from '../../core/clients/clients.ts';
import { Disk } from '../../store/disk/disk.ts';
import {
  closeToOthers,
  leftovers,
  lockState,
  missingFolders,
  notWritable,
  openToOthers,
  removeAbandonedTicket,
  removeLeftover,
} from '../../store/maintenance/folder-health.ts';
import { openVault } from '../../store/open.ts';
import type { Places } from '../../store/places/places.ts';
import { looserThanDefaults, readSettings } from '../../store/places/settings.ts';
import { type Registration, registrationIn } from '../../store/programs/client-files.ts';
import type { Ailment } from './problem.ts';

/** What can be told of a store's folders and of this machine's own without opening either. */
export function ailmentsOfPlaces(places: Places, now: number): Ailment[] {
  return [...folders(places), ...rights(places), ...remains(places, now), ...lock(places, now), ...settings(places)];
}

function folders(places: Places): Ailment[] {
  const missing = missingFolders(places);
  const closed = notWritable(places);
  return [
    ...(missing.length === 0
      ? []
      : [
          {
            code: 'folder-missing',
            severity: 'problem' as const,
            about: missing,
            what: 'Folders that belong to the store are missing.',
            means: 'What lay in them is gone, unless you have a backup or can fetch it from another machine.',
            advice: 'Put them back from a backup, or have them made anew, empty.',
            repairs: [
              {
                name: 'make-folders',
                question: 'Make the missing folders anew, empty?',
                done: 'The folders are there.',
                apply: async () => (await openVault(places, { complain: () => {} })).close(),
              },
            ],
          },
        ]),
    ...(closed.length === 0
      ? []
      : [
          {
            code: 'not-writable',
            severity: 'problem' as const,
            about: closed,
            what: 'Folders cannot be written.',
            means: 'Memories are found and read, but none can be proposed, vouched for or put into quarantine.',
            advice: 'Give yourself the right to write there, or mount the disk so that it can be written.',
            repairs: [],
          },
        ]),
  ];
}

function rights(places: Places): Ailment[] {
  const open = openToOthers(places);
  if (open.length === 0) return [];
  return [
    {
      code: 'open-to-others',
      severity: 'problem',
      about: open,
      what: 'Other accounts of this machine may read or write what is yours alone.',
      means: 'Whoever reads the key can sign in your name, and the records tell what you keep.',
      advice: 'Take the rights of others away, with chmod go= on each or by answering yes here.',
      repairs: [
        {
          name: 'close-to-others',
          question: 'Take the rights of others away from these?',
          done: 'They are yours alone now.',
          apply: () => open.forEach(closeToOthers),
        },
      ],
    },
  ];
}

function remains(places: Places, now: number): Ailment[] {
  const left = leftovers(places, now);
  if (left.length === 0) return [];
  return [
    {
      code: 'leftovers',
      severity: 'note',
      about: left,
      what: 'Files of writes that were interrupted lie around.',
      means: 'Nothing reads them, and what was being written was never acknowledged.',
      advice: 'They can be removed.',
      repairs: [
        {
          name: 'remove-leftovers',
          question: 'Remove these files?',
          done: 'They are gone.',
          apply: () => left.forEach(removeLeftover),
        },
      ],
    },
  ];
}

function lock(places: Places, now: number): Ailment[] {
  const state = lockState(places, now);
  const about = [places.guard];
  if (state === 'foreign') {
    return [
      {
        code: 'lock-foreign',
        severity: 'problem',
        about,
        what: 'What lies in the lock’s folder is not what Surety puts there.',
        means: 'Nobody can write to the store: every proposal and every decision waits and fails.',
        advice: 'Look at what it is, and delete the folder while no server runs; it is made anew.',
        repairs: [],
      },
    ];
  }
  if (state === 'fine') return [];
  return [
    {
      code: 'lock-abandoned',
      severity: 'note',
      about,
      what: 'A process that is gone has left its ticket in the queue for writing.',
      means: 'The next writer waits a few seconds until it takes it away.',
      advice: 'Nothing has to be done; it can be removed.',
      repairs: [
        {
          name: 'remove-ticket',
          question: 'Remove the ticket?',
          done: 'It is gone.',
          apply: () => removeAbandonedTicket(places, Date.now()),
        },
      ],
    },
  ];
}

function settings({ config }: Places): Ailment[] {
  const { settings: inForce, warnings } = readSettings(config, new Disk());
  const looser = looserThanDefaults(inForce);
  return [
    ...warnings.map(
      (what): Ailment => ({
        code: 'settings-unclear',
        severity: 'problem',
        about: [],
        what: `${what}.`,
        means: 'What you meant to set is not in force.',
        advice: 'Correct config.json in the config folder.',
        repairs: [],
      }),
    ),
    ...looser.map(
      (what): Ailment => ({
        code: 'settings-looser',
        severity: 'note',
        about: [],
        what: `${what}.`,
        means: 'It protects less than Surety does by itself, and an agent could have written it.',
        advice: 'If it was not you, take it out of config.json in the config folder.',
        repairs: [],
      }),
    ),
  ];
}

/** Whether Claude Code, where it is used here, would find this server and its hooks. */
export function ailmentsOfClient(): Ailment[] {
  return [...ailmentsOfServer(), ...ailmentsOfHooks()];
}

/** Hooks are a matter of choice; hooks that fail at every step are not. */
function ailmentsOfHooks(): Ailment[] {
  const { path: file, state } = registrationOf('hooks');
  if (state !== 'gone') return [];
  return [
    {
      code: 'hooks-gone',
      severity: 'problem',
      about: [file],
      what: 'Claude Code’s hooks start Surety from a place where it is not any more.',
      means: 'Every session and every tool call reports a hook that failed, and nothing guards the store.',
      advice: 'Run surety init from where it is now.',
      repairs: [],
    },
  ];
}

function ailmentsOfServer(): Ailment[] {
  const { path: file, state } = registrationOf('server');
  const about = [file];
  switch (state) {
    case 'no-client':
    case 'registered':
      return [];
    case 'unreadable':
      return [
        {
          code: 'client-unreadable',
          severity: 'note',
          about,
          what: 'Claude Code’s own file cannot be read as JSON.',
          means: 'Whether Surety is registered there cannot be told.',
          advice: 'Start Claude Code, which repairs or reports it; nothing of it is changed here.',
          repairs: [],
        },
      ];
    case 'not-registered':
      return [
        {
          code: 'client-not-registered',
          severity: 'note',
          about,
          what: 'Claude Code is used here and does not know Surety.',
          means: 'Its sessions have no memory.',
          advice: 'Run surety init: it shows what it would write there, and asks.',
          repairs: [],
        },
      ];
    case 'gone':
      return [
        {
          code: 'client-gone',
          severity: 'problem',
          about,
          what: 'Claude Code starts Surety from a place where it is not any more.',
          means: 'Its sessions have no memory, and it reports a server that failed.',
          advice: 'Run surety init from where Surety is now: it shows what it would write there, and asks.',
          repairs: [],
        },
      ];
  }
}

function registrationOf(holds: 'server' | 'hooks'): Registration {
  const [claude] = CLIENTS;
  const file = claude?.setup?.files.find((each) => each.holds === holds);
  if (file === undefined) throw new TypeError('no such file');
  return registrationIn(file, { home: homedir(), env: process.env });
}
