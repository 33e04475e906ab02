import { join } from 'node:path';
import { TROUBLES } from '../../core/ledger/replay.ts';
import type { Statement } from '../../core/ledger/statement.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import type { LedgerReport } from '../../store/ledger/report.ts';
import { SignedFile } from '../../store/ledger/signed-file.ts';
import { finish } from '../../store/maintenance/finish-promotion.ts';
import { type LedgerRepair, repairsOf } from '../../store/maintenance/repair-ledger.ts';
import { openVault } from '../../store/open.ts';
import type { Notice } from '../../store/reconcile/notices.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { requestsOf } from '../decide.ts';
import { settlePlaces } from '../resolve-places.ts';
import type { Look } from '../session.ts';
import { surveyed } from '../survey.ts';
import { doubled } from './doctor-duplicates.ts';
import type { Ailment, MendLedger } from './problem.ts';

/** Beyond this the store is large enough that a word is due; a hundred thousand are supported. */
const LARGE = 50_000;
const CLOCK_MS = 600_000;

/** What a look at an open store tells. */
export function ailmentsOfStore(look: Look, root: string | undefined): Ailment[] {
  const { vault, notices } = look;
  return [
    ...ledgers(vault),
    ...machines(vault),
    ...clock(vault),
    ...files(notices),
    ...unfinished(vault, root),
    ...doubled(vault, root),
    ...requests(look, root),
    ...index(vault),
    ...size(vault),
  ];
}

function ledgers(vault: Vault): Ailment[] {
  return vault.parts.ledgers.reports().flatMap((report) => {
    const { trouble, fingerprint, own, trusted } = report;
    if (trouble === undefined) return [];
    const repairs = repairsOf(vault.parts, report);
    const whose = own ? 'This machine’s own ledger' : trusted ? 'The ledger of a machine you trust' : 'A ledger';
    return [
      {
        code: `ledger-${trouble}`,
        severity: own || trusted ? ('problem' as const) : ('note' as const),
        about: [fingerprint],
        what: `${whose} is in trouble: ${TROUBLES[trouble]}.`,
        means: own
          ? 'It raises nothing: what you vouched for here is advisory, and only quarantines are recorded until it is settled.'
          : 'It raises nothing here; what it has put into quarantine stays there.',
        advice: adviceOn(repairs),
        repairs: repairs.map((ledger): MendLedger => ({ name: `${ledger.kind}-ledger`, ledger })),
      },
    ];
  });
}

function adviceOn(repairs: readonly LedgerRepair[]): string {
  const kinds = repairs.map(({ kind }) => kind);
  if (kinds.includes('put-back')) {
    return 'Put back the copy this machine has kept, or a file from a backup. Accept it as it is only if you know why it differs.';
  }
  if (kinds.includes('accept')) return 'Take the file from a backup; or, if you know why, accept the ledger as it is.';
  return 'Take the file from a backup or from the machine that wrote it; if nobody knows it, remove it.';
}

/** The list of trusted machines counts only with this machine's signature. */
function machines({ parts: { places, disk, key } }: Vault): Ailment[] {
  const path = join(places.config, 'machines.json');
  if (!disk.exists(path) || new SignedFile(path, 'machines', disk, key).read() !== undefined) return [];
  return [
    {
      code: 'machines-void',
      severity: 'problem',
      about: [path],
      what: 'The list of trusted machines is not signed by this machine, so it counts for nothing.',
      means: 'What a person vouched for on other machines is advisory here. Somebody edited it, or the key is new.',
      advice: 'Trust the machines again, one by one, with surety machines trust.',
      repairs: [],
    },
  ];
}

function clock({ parts: { ledgers: all, now } }: Vault): Ailment[] {
  const ahead = all.reports().filter((report: LedgerReport) => report.lastAt > now() + CLOCK_MS);
  return ahead.map(({ fingerprint, lastAt }) => ({
    code: 'clock',
    severity: 'problem' as const,
    about: [fingerprint],
    what: `A ledger’s newest entry is from ${dateOf(lastAt)}, which is in the future.`,
    means:
      'This clock is behind, or one was ahead: what was vouched for then counts as stale, and observations do not end.',
    advice: 'Set the clock right. If it is right, it settles by itself when that day has come.',
    repairs: [],
  }));
}

const NOT_SERVED: Partial<Record<Notice['kind'], readonly [what: string, means: string, advice: string]>> = {
  'not-an-id': [
    'Files in the folder have a name that is no id.',
    'They are not served, and nobody moves them.',
    'Rename each to its type and a few words, such as user_editor.md, or move it away.',
  ],
  refused: [
    'Files in the folder are links, have a second name, or cannot be read.',
    'They are neither read nor written: what they say could change elsewhere.',
    'Put an ordinary file in place of each, readable by you, or remove it.',
  ],
  'held-back': [
    'A check blocks files in the folder.',
    'They are not served. What is new among them is put into quarantine when the store is next worked with.',
    'surety check with the file tells why; correct it, or decide about it with surety review.',
  ],
};

function files(notices: readonly Notice[]): Ailment[] {
  return Object.entries(NOT_SERVED).flatMap(([kind, [what, means, advice]]) => {
    // Without a name it is a whole folder, which is told as one that is missing.
    const named = notices.filter((notice) => notice.kind === kind && notice.stem.length > 0);
    const about = named.map(({ place, stem }) => `${place}/${stem}.md`);
    if (about.length === 0) return [];
    return [{ code: `files-${kind}`, severity: 'problem' as const, about, what, means, advice, repairs: [] }];
  });
}

/** What a person said yes to and the file does not say: killed in between, an older file put back, or lowered by hand. */
function unfinished(vault: Vault, root: string | undefined): Ailment[] {
  const found: { readonly id: string; readonly receipt: Statement }[] = [];
  for (const { id, standing } of surveyed(vault)) {
    if (standing.reason === 'unfinished') found.push({ id, receipt: standing.receipt });
  }
  if (found.length === 0) return [];
  return [
    {
      code: 'unfinished',
      severity: 'note',
      about: found.map(({ id }) => id),
      what: 'A person vouched for exactly these texts, but their files do not say verified.',
      means:
        'They are advisory. A process was stopped in between, an older file was put back, or somebody lowered them by hand.',
      advice:
        'Have each finished, unless you lowered it yourself; to put it away for good, demote it in surety review.',
      repairs: found.map(({ id, receipt: { at, channel = 'unknown', level } }) => ({
        name: 'finish',
        id,
        question: `Let the file of ${id} say verified, as a person (${channel}, level ${level}) decided on ${dateOf(at)}?`,
        done: `${id} is verified.`,
        apply: () => finishOne(root, id),
      })),
    },
  ];
}

async function finishOne(root: string | undefined, id: string): Promise<void> {
  const vault = await openVault(settlePlaces(root), { complain: () => {} });
  try {
    const loaded = vault.load(id);
    if (loaded === undefined) throw new Refusal('no-such-memory', `The file of ${id} is gone; nothing was changed.`);
    await finish(vault, loaded);
  } finally {
    vault.close();
  }
}

function requests(look: Look, root: string | undefined): Ailment[] {
  const { requests: waiting, unreadable } = requestsOf(look).list();
  const gone = waiting.map(({ id }) => id).filter((id) => look.vault.load(id) === undefined);
  return [
    ...(gone.length === 0
      ? []
      : [
          {
            code: 'requests-gone',
            severity: 'note' as const,
            about: gone,
            what: 'Agents asked for decisions on memories whose files are gone.',
            means: 'The requests take up room in the queue, which holds a hundred.',
            advice: 'Put the files back, or have the requests taken off the queue.',
            repairs: [
              {
                name: 'drop-requests',
                question: 'Take these requests off the queue?',
                done: 'They are off the queue.',
                apply: () => dropRequests(root, gone),
              },
            ],
          },
        ]),
    ...(unreadable === 0
      ? []
      : [
          {
            code: 'requests-unreadable',
            severity: 'note' as const,
            about: [],
            what: 'Lines in the queue of requests are no requests.',
            means: 'They are left out, and gone with the next change of the queue.',
            advice: 'Nothing has to be done. If agents can write to the state folder, they should not.',
            repairs: [],
          },
        ]),
  ];
}

async function dropRequests(root: string | undefined, ids: readonly string[]): Promise<void> {
  const vault = await openVault(settlePlaces(root), { complain: () => {} });
  try {
    await vault.exclusively(() => {
      for (const id of ids) if (vault.load(id) === undefined) requestsOf({ vault }).settle(id);
    });
  } finally {
    vault.close();
  }
}

function index({ parts: { index: search, places } }: Vault): Ailment[] {
  if (search.bytes !== null) return [];
  return [
    {
      code: 'index-in-memory',
      severity: 'problem',
      about: [places.cache],
      what: 'The cache folder takes no search index.',
      means: 'Each server and each command reads every memory anew when it starts.',
      advice: 'See that the folder can be made and written and has room; what is in it may be deleted.',
      repairs: [],
    },
  ];
}

function size(vault: Vault): Ailment[] {
  const count = vault.parts.index.count('memories') + vault.parts.index.count('quarantine');
  if (count < LARGE) return [];
  return [
    {
      code: 'large-store',
      severity: 'note',
      about: [],
      what: `The store holds ${count} memories.`,
      means: 'Up to a hundred thousand are supported; looking a store of this size over takes longer.',
      advice: 'surety audit tells what is doubled, long in quarantine or unused.',
      repairs: [],
    },
  ];
}
