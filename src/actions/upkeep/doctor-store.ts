import { type LedgerTrouble, TROUBLES } from '../../core/ledger/replay.ts';
import { Refusal } from '../../core/refusal.ts';
import { dateOf } from '../../core/trust/clocks.ts';
import { archiveCopy } from '../../store/maintenance/archive.ts';
import { jumpedFrom } from '../../store/maintenance/confirm-date.ts';
import { erasedAndHere } from '../../store/maintenance/erase.ts';
import { finishPromotion } from '../../store/maintenance/finish-promotion.ts';
import { type LedgerRepair, repairsOf } from '../../store/maintenance/repair-ledger.ts';
import { seeAgain } from '../../store/maintenance/see-again.ts';
import { foreignStoreId, putBackStoreId } from '../../store/maintenance/store-id.ts';
import { type Notice, updateIndex } from '../../store/reconcile/reconcile.ts';
import { requestsOf } from '../../store/records/request-queue.ts';
import type { Missing, Surveyed, Vault } from '../../store/vault/vault.ts';
import { putBackAll } from '../put-back-from-copies.ts';
import { monthOfQuarantine } from '../retention.ts';
import { whyPasskeysContested, whyPasskeysMissing } from '../review/first-passkey.ts';
import type { ReadSession } from '../session.ts';
import { restoredInWords } from '../sync/restored-elsewhere.ts';
import { howToStartOver } from './how-to-start-over.ts';
import { about, inVault, type MendLedger, type Problem, type ProblemRow, when } from './problem.ts';

/** More than 50,000 memories get a note; 100,000 are supported. */
const LARGE = 50_000;
const CLOCK_MS = 600_000;

/** Inferred memories whose first sight is dated ahead of now. */
function seenAhead(vault: Vault): Surveyed[] {
  return [...vault.survey()].filter(
    ({ id, digest, standing }) =>
      standing.tier === 'inferred' && digest !== null && (vault.evidence.firstSeen(id, digest) ?? 0) > vault.now(),
  );
}

/** Problems that show in an open store. The store is closed before a repair. */
export const STORE_PROBLEMS: readonly ProblemRow<ReadSession>[] = [
  {
    code: 'ledger',
    severity: 'note',
    find: ({ vault }) => ledgersInTrouble(vault),
    what: 'A ledger is in trouble.',
    means: 'It raises nothing here; what it has put into quarantine stays there.',
    advice: 'Take the file from a backup or from the machine that wrote it; if nobody knows it, remove it.',
  },
  {
    code: 'machines-void',
    severity: 'problem',
    // The list of trusted machines counts only if this machine signed it.
    find: ({ vault }) => about([vault.voidMachineList() ?? []].flat()),
    what: 'The list of trusted machines is not signed by this machine, so it counts for nothing.',
    means: 'What a person vouched for on other machines is advisory here. Somebody edited it, or the key is new.',
    advice: 'Trust the machines again, one by one, with surety machines trust.',
  },
  {
    code: 'passkeys-contested',
    severity: 'problem',
    find: ({ vault }) => advised(whyPasskeysContested(vault)),
    what: 'Two machines each have a first passkey.',
    means: 'No passkey counts here, on either machine. What they signed counts as if they had not.',
    advice: 'Distrust one of the machines.',
  },
  {
    code: 'passkeys-missing',
    severity: 'problem',
    find: ({ vault }) => advised(whyPasskeysMissing(vault)),
    what: 'A passkey is required, and none counts here.',
    means: 'Nothing can become verified here.',
    advice: 'Trust the machine that has the passkeys.',
  },
  {
    code: 'store-id',
    severity: 'problem',
    find: ({ vault }) => about([foreignStoreId(vault) ?? []].flat()),
    what: 'The store’s file names another store than this machine remembers.',
    means: 'Nothing counts as verified here: what was vouched for in one store does not count in another.',
    advice:
      'If somebody changed store.json, have this store’s own id put back. If both are one store, accept the ledger.',
    repair: {
      name: 'put-back-store-id',
      question: 'Put the id that this machine remembers back into store.json?',
      done: 'The store has its own id again.',
      apply: ({ vault }) => inVault(vault.places, putBackStoreId),
    },
  },
  {
    code: 'clock-jump',
    severity: 'problem',
    find: ({ vault }) => {
      const last = jumpedFrom(vault);
      if (last === undefined) return [];
      const [from, to] = [dateOf(last), dateOf(vault.now())];
      const repairs = [{ name: 'confirm-date' as const, date: to }];
      return [{ what: `The clock says ${to}, and the last entry of this machine’s ledger is from ${from}.`, repairs }];
    },
    what: 'The clock is more than 400 days ahead of the last entry of this machine’s ledger.',
    means: 'Nothing is signed: one entry with a wrong date would make everything after it look as old or as new.',
    advice: 'If the clock is wrong, set it right. If the date is right, confirm it here.',
  },
  {
    code: 'sights-ahead',
    severity: 'problem',
    find: ({ vault }) => about(seenAhead(vault).map(({ id }) => id)),
    what: 'The first sight of texts is dated ahead of this clock, because a clock was wrong then.',
    means: 'Their observation begins only at that date, and nobody can promote them before it is over.',
    advice:
      'Set the clock right if it is wrong. If it is right, have the texts noted as seen now: the observation begins today.',
    repair: {
      name: 'see-again',
      question: 'Note these texts as seen now?',
      done: 'They are noted, in one entry; their observation begins today.',
      apply: ({ vault }) =>
        inVault(vault.places, (opened) => opened.exclusively(() => seeAgain(opened, seenAhead(opened)))),
    },
  },
  {
    code: 'clock',
    severity: 'note',
    find: ({ vault }) =>
      vault
        .reports()
        .filter(({ lastAt, lastClock }) => Math.min(lastAt, lastClock) > vault.now() + CLOCK_MS)
        .map(({ fingerprint, lastAt }) => ({
          about: [fingerprint],
          what: `A ledger’s newest entry is from ${dateOf(lastAt)}, which is in the future.`,
        })),
    what: 'A ledger’s newest entry is from the future.',
    means: 'This clock is behind, or one was ahead: what was vouched for then is to be looked at again (stale).',
    advice:
      'Set the clock right. If it is right, nothing has to be done: new entries carry what the clock says, which counts.',
  },
  {
    code: 'memories-missing',
    severity: 'problem',
    find: ({ vault }) => about(vault.missing.all().map(missingAs)).map((found) => ({ ...found, whole: true })),
    what: 'Memories are missing: the ledgers know them, and their files are gone, or nothing can be read in them.',
    means:
      'They are not found and not loaded. A text that is put back is exactly the one the ledgers name, so this raises nothing.',
    advice:
      'Have them put back from the copies this machine keeps and from the store’s git history. If a file was meant to go, say so in surety review.',
    repair: {
      name: 'put-back-missing',
      question: 'Put all of these back, as far as their texts are still here?',
      done: 'What is still here of them is back.',
      apply: ({ vault: { places } }) =>
        inVault(places, async (vault) => {
          await updateIndex(vault);
          await putBackAll(vault);
        }),
    },
  },
  {
    code: 'files-not-an-id',
    severity: 'problem',
    find: ({ notices }) => about(filesOf(notices, 'not-an-id')),
    what: 'Files in the folder have a name that is no id.',
    means: 'They are not served, and nobody moves them.',
    advice: 'Rename each to its type and a few words, such as user_editor.md, or move it away.',
  },
  {
    code: 'files-refused',
    severity: 'problem',
    find: ({ notices }) => about(filesOf(notices, 'refused')),
    what: 'Files in the folder are links, have a second name, or cannot be read.',
    means: 'They are neither read nor written: what they say could change elsewhere.',
    advice: 'Put an ordinary file in place of each, readable by you, or remove it.',
  },
  {
    code: 'files-held-back',
    severity: 'problem',
    find: ({ vault, notices }) => {
      const erased = new Set(erasedAndHere(vault).map((id) => `memories/${id}.md`));
      return about(filesOf(notices, 'held-back').filter((file) => !erased.has(file)));
    },
    what: 'A check blocks files in the folder.',
    means: 'They are not served. What is new among them is put into quarantine when the store is next worked with.',
    advice: 'surety check with the file says why; correct it, or decide about it with surety review.',
  },
  {
    code: 'erased-and-here',
    severity: 'note',
    find: ({ vault }) => about(erasedAndHere(vault)),
    what: 'These memories were erased, and files or copies of them are still here.',
    means:
      'Erasing was interrupted, was done on another machine, or a sync or a backup brought a file back. Nothing serves them.',
    advice: 'Run surety erase with each id: it removes the rest.',
  },
  {
    code: 'restored-elsewhere',
    severity: 'note',
    find: (look) => about(restoredInWords(look)),
    what: 'Other machines restored or vouch for memories that are quarantined here, and their word on these does not count here.',
    means:
      'Nothing serves them. Their files stay in memories/, because sync would carry a move to machines where that word counts.',
    advice:
      'surety show with the id tells what became of each. Trust the machine with surety machines trust, or take the memory out of quarantine here with surety restore, or remove it with surety erase. It can also stay as it is.',
  },
  {
    code: 'unfinished',
    severity: 'note',
    find: ({ vault }) => unfinished(vault),
    what: 'A person vouched for exactly these texts, but their files do not say verified.',
    means:
      'They are advisory. A process was stopped in between, an older file was put back, or somebody lowered them by hand.',
    advice: 'Have each finished, unless you lowered it yourself; to put it away for good, demote it in surety review.',
  },
  {
    code: 'displaced',
    severity: 'problem',
    find: ({ vault }) => about(vault.displaced().map(({ stem }) => `quarantine/${stem}.md`)),
    what: 'A person vouched for these texts, and other texts have their places.',
    means:
      'They are not served. A sync put them into quarantine, here or on another machine, or somebody moved files by hand.',
    advice: 'Keep the files. Run surety review: it shows both texts and puts the verified one back with one yes.',
  },
  {
    code: 'doubled-copy',
    severity: 'note',
    find: ({ vault }) => about(besideMemories(vault, true)),
    what: 'Files in quarantine say exactly what a verified memory of the same id says.',
    means: 'The memory is served and they are not. Git leaves such files when it checks out an older state.',
    advice: 'Have them put into the archive, where nothing reads them.',
    repair: {
      name: 'archive-copies',
      question: 'Put these copies into the archive?',
      done: 'They lie in the archive. The memories are served as before.',
      apply: ({ vault }, paths) => inVault(vault.places, (opened) => archiveCopies(opened, paths)),
    },
  },
  {
    code: 'doubled-id',
    severity: 'note',
    find: ({ vault }) => about(besideMemories(vault, false)),
    what: 'Files in quarantine have the id of a memory that is in use, and no yes to what they say is in force.',
    means: 'The memory is served and they are not; as long as it is in use they cannot be restored.',
    advice:
      'surety open shows them under Quarantined. Compare each with the memory in use, and remove the file if you do not need it.',
  },
  {
    code: 'requests-gone',
    severity: 'note',
    find: (look) => {
      const ids = requestsOf(look.vault)
        .list()
        .requests.map(({ id }) => id);
      return about(ids.filter((id) => look.vault.load(id) === undefined));
    },
    what: 'Agents asked for decisions on memories whose files are gone.',
    means: 'The requests take up room in the queue, which holds a hundred.',
    advice: 'Put the files back, or have the requests taken off the queue.',
    repair: {
      name: 'drop-requests',
      question: 'Take these requests off the queue?',
      done: 'They are off the queue.',
      apply: ({ vault: { places } }, ids) =>
        inVault(places, (vault) =>
          vault.exclusively(() => {
            for (const id of ids) if (vault.load(id) === undefined) requestsOf(vault).settle(id);
          }),
        ),
    },
  },
  {
    code: 'requests-unreadable',
    severity: 'note',
    find: (look) => when(requestsOf(look.vault).list().unreadable > 0),
    what: 'Lines in the queue of requests are no requests.',
    means: 'They are left out, and gone with the next change of the queue.',
    advice: 'Nothing has to be done. If agents can write to the state folder, they should not.',
  },
  {
    code: 'index-in-memory',
    severity: 'problem',
    find: ({ vault }) => about(vault.indexState().bytes === null ? [vault.places.cache] : []),
    what: 'The cache folder takes no search index.',
    means: 'Each server and each command reads every memory again when it starts.',
    advice: 'See that the folder can be made and written and has room; what is in it may be deleted.',
  },
  {
    code: 'index-without-room',
    severity: 'problem',
    find: ({ vault }) => about(vault.indexState().unwritten > 0 ? [vault.places.cache] : []),
    what: 'The disk is full, and the search index had no room for what is new.',
    means: 'Files that came or changed are not listed and not found until it has. What was known before is.',
    advice: 'Make room on the disk of this folder. The next look at the files takes in the rest.',
  },
  {
    code: 'large-store',
    severity: 'note',
    find: ({ vault }) => {
      const count = vault.count('memories') + vault.count('quarantine');
      return when(count >= LARGE, { what: `The store holds ${count} memories.` });
    },
    what: 'The store holds many memories.',
    means: 'Up to a hundred thousand are supported; looking a store of this size over takes longer.',
    advice: 'surety audit says what is doubled, long in quarantine or unused.',
  },
];

/** One problem with this advice; none if there is no advice. */
function advised(advice: string | undefined): Partial<Problem>[] {
  return advice === undefined ? [] : [{ advice }];
}

function ledgersInTrouble(vault: Vault): Partial<Problem>[] {
  return vault.reports().flatMap((report) => {
    const { trouble, fingerprint, own, trusted } = report;
    if (trouble === undefined) return [];
    const repairs = repairsOf(vault, report);
    const whose = own ? 'This machine’s own ledger' : trusted ? 'The ledger of a machine you trust' : 'A ledger';
    return [
      {
        code: `ledger-${trouble}`,
        about: [fingerprint],
        what: `${whose} is in trouble: ${TROUBLES[trouble]}.`,
        ...(own || trusted ? { severity: 'problem' as const } : {}),
        ...(own ? { means: OWN_LEDGER } : {}),
        ...adviceOn(repairs, trouble, own ? howToStartOver(vault) : undefined),
        repairs: repairs.map((ledger): MendLedger => ({ name: `${ledger.kind}-ledger`, ledger })),
      },
    ];
  });
}

const OWN_LEDGER =
  'It raises nothing: what you vouched for here is advisory, and only quarantines are recorded until it is settled.';

const PUT_BACK =
  'Put back the copy this machine has kept, or a file from a backup. Accept it as it is only if you know why it differs.';
const ACCEPT = 'Take the file from a backup; or, if you know why, accept the ledger as it is.';
const AHEAD =
  'If this machine was restored from a backup, accept the ledger as it is: a sync brought back what this machine had written since. Read first what those entries vouch for. If they are not yours, put back the copy this machine has kept: somebody else signs with its key, or it is another store’s ledger.';

function adviceOn(
  repairs: readonly LedgerRepair[],
  trouble: LedgerTrouble,
  startOver: string | undefined,
): Partial<Problem> {
  if (trouble === 'ahead') return { advice: AHEAD };
  const kinds = repairs.map(({ kind }) => kind);
  if (!kinds.includes('put-back') && !kinds.includes('accept')) return {};
  const settle = kinds.includes('put-back') ? PUT_BACK : ACCEPT;
  return { advice: [settle, startOver ?? []].flat().join(' ') };
}

function missingAs({ id, tier, damaged }: Missing): string {
  return `${id} (${tier}${damaged ? ', its file is damaged' : ''})`;
}

/** A notice without a stem is about a missing folder, which is reported on its own. */
function filesOf(notices: readonly Notice[], kind: Notice['kind']): string[] {
  const named = notices.filter((notice) => notice.kind === kind && notice.stem.length > 0);
  return named.map(({ place, stem }) => `${place}/${stem}.md`);
}

/** Memories a person verified whose file does not say so: a kill in between, an older file, or an edit by hand. */
function unfinished(vault: Vault): Partial<Problem>[] {
  const repairs = [...vault.survey()].flatMap(({ id, standing }) => {
    if (standing.reason !== 'unfinished') return [];
    const { at, channel = 'unknown', level } = standing.receipt;
    const by = `a person (${channel}, level ${level})`;
    return [
      {
        name: 'finish',
        id,
        question: `Let the file of ${id} say verified, as ${by} decided on ${dateOf(at)}?`,
        done: `${id} is verified.`,
        apply: () => inVault(vault.places, (opened) => finishOne(opened, id)),
      },
    ];
  });
  return when(repairs.length > 0, { about: repairs.map(({ id }) => id), repairs });
}

async function finishOne(vault: Vault, id: string): Promise<void> {
  const loaded = vault.load(id);
  if (loaded === undefined) throw new Refusal('no-such-memory', `The file of ${id} is gone; nothing was changed.`);
  await finishPromotion(vault, loaded);
}

const QUARANTINED = /^quarantine\/(.*)\.md$/;

/** Quarantined files whose id is also in memories; git and syncs of two texts leave them behind. */
function besideMemories(vault: Vault, copies: boolean): string[] {
  const inUse = new Set<string>();
  for (const { id } of vault.survey()) inUse.add(id);
  // A text with a receipt must be restored and not archived.
  const displaced = new Set(vault.displaced().map(({ stem }) => stem));
  return [...vault.survey('quarantine')]
    .filter(({ id, stem }) => inUse.has(id) && !displaced.has(stem))
    .filter((known) => vault.isCopy(known) === copies)
    .map(({ stem }) => `quarantine/${stem}.md`);
}

async function archiveCopies(vault: Vault, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const copy = vault.loadSpot({ place: 'quarantine', stem: QUARANTINED.exec(path)?.[1] ?? '' });
    // A copy that is gone needs no archiving.
    if (copy !== undefined) await archiveCopy(vault, copy, monthOfQuarantine(copy));
  }
}
