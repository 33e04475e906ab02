import { raises } from '../../core/ledger/statement.ts';
import { sharedAt } from '../../core/sync/shared-paths.ts';
import { attempt } from '../disk/disk-errors.ts';
import { insideOf } from '../vault/inside-of-vault.ts';
import { onRecord, reasonLine, recordDraft } from '../vault/ledger-entries.ts';
import type { Vault } from '../vault/vault.ts';
import type { Parked } from './plan.ts';

/** Records which texts a sync put into quarantine, and why. It decides nothing about the text in `memories/`. */
export async function recordParked(vault: Vault, parked: readonly Parked[]): Promise<void> {
  if (parked.length === 0) return;
  await vault.exclusively(() => {
    const { ledgers, complain, files } = insideOf(vault);
    for (const { path, machine } of parked) {
      const what = sharedAt(path);
      const loaded = what?.kind === 'memory' ? files.load(what) : undefined;
      if (loaded === undefined) continue;
      const { id } = loaded;
      const { digest, saying } = onRecord(loaded);
      const known = vault.evidence.of(id).some((s) => s.action === 'parked' && s.digest === digest && raises(s));
      if (known) continue;
      const draft = recordDraft(
        insideOf(vault),
        'parked',
        { id, digest, saying },
        { reason: reasonLine(`sync conflict with ${machine}`) },
      );
      // The file holds the reason too, so a ledger in trouble need not stop a sync.
      attempt(complain, 'a sync conflict could not be written down', () => ledgers.append([draft]));
    }
  });
}
