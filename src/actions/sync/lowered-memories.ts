import { vouches } from '../../core/ledger/heads.ts';
import { raises, type Statement } from '../../core/ledger/statement.ts';
import { type MemoryId, parseId } from '../../core/memory/ids.ts';
import { once } from '../../core/once.ts';
import { NOTICES } from '../../store/sync/notices.ts';
import type { SyncRun } from '../../store/sync/sync-run.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { machineInWords, machineNames } from '../review/machines.ts';
import type { Session } from '../session.ts';
import { MOST_OF_A_KIND, news, type UndatedNotice } from './sync-report.ts';

/** Finds what was verified here before a merge and is not after it. */
export class LoweredMemories {
  readonly #session: Session;
  #before: ReadonlySet<MemoryId> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Remembers what is verified before the first merge of a sync. */
  begin(): void {
    this.#before ??= verifiedIn(this.#session.vault);
  }

  /**
   * A notice of each, with the machine that lowered it. No notice is made of a memory that another notice is about, of a missing
   * one, because those are counted by themselves, or of one that a person lowered on a machine whose word counts here. The
   * last has a notice after all if somebody vouched for it at the same time, or quarantined what takes its place. There are
   * no notices where this machine's own ledger is in trouble, or a passkey is required since this sync: one notice says that of all.
   */
  async lowered(run: SyncRun, others: readonly UndatedNotice[]): Promise<UndatedNotice[]> {
    const { vault } = this.#session;
    const isOfAll = others.some(({ kind }) => kind === 'passkey');
    if (isOfAll || vault.reports().some(({ own, trouble }) => own && trouble !== undefined)) return [];
    const after = verifiedIn(vault);
    const isNamed = new Set(others.map(({ about }) => about));
    const found: UndatedNotice[] = [];
    const replaced = once(() => replacedInVain(vault));
    for (const id of this.#before ?? []) {
      if (after.has(id) || isNamed.has(id) || vault.missing.one(id) !== undefined) continue;
      const heads = vault.evidence.heads(id);
      const decision = heads.find(({ to }) => to === 'quarantined') ?? heads.find((head) => !raises(head));
      const isOwnDecision = decision?.to === 'quarantined' && decision.actor === 'operator' && raises(decision);
      if (isOwnDecision && !heads.some(vouches) && !replaced().has(id)) continue;
      // Git is asked about each, and more are counted and not shown.
      const isShown = found.length < MOST_OF_A_KIND;
      found.push(news('lowered', id, isShown ? await this.#said(id, decision, run) : NOTICES.lowered));
    }
    return found;
  }

  async #said(id: MemoryId, decision: Statement | undefined, run: SyncRun): Promise<string> {
    const { vault } = this.#session;
    const { standing } = vault.load(id) ?? {};
    const isOwn = decision?.ledger.fingerprint === vault.self.fingerprint;
    const by = decision === undefined || isOwn ? await run.writerOf(id) : this.#called(decision);
    if (standing === undefined)
      return `was verified here and was taken out by ${by}; if it should stay, write it again with surety remember`;
    if (standing.tier === 'quarantined')
      return `was verified here and was quarantined by ${by}; surety show ${id} tells more, and surety restore ${id} brings it back`;
    if (standing.reason === 'changed')
      return `was verified here and has another text now, from ${by}; surety review shows both and puts the verified one back`;
    return `was verified here and is inferred now, because of ${by}; surety show ${id} tells more`;
  }

  #called({ ledger }: Statement): string {
    const trust = ledger.raises ? '' : ', whose word does not count here';
    return `${machineInWords(machineNames(this.#session), ledger.fingerprint)}${trust}`;
  }
}

/** Memories that went for another one, which a person quarantined on another machine at the same time: neither is left. */
function replacedInVain({ evidence }: Vault): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { id } of evidence.everVerified()) {
    const heads = evidence.heads(id);
    if (!heads.some(({ to }) => to === 'quarantined')) continue;
    for (const head of heads) if (head.replaces !== null && vouches(head)) found.add(head.replaces);
  }
  return found;
}

/** By the index and without verifying assertions: good for comparing two moments, and for nothing else. */
function verifiedIn(vault: Vault): ReadonlySet<MemoryId> {
  const ids: string[] = [];
  vault.surveyScoped(({ id, standing }) => {
    if (standing.tier === 'verified') ids.push(id);
  });
  return new Set(ids.flatMap((id) => parseId(id) ?? []));
}
