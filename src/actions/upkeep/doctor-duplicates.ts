import { archiveCopy } from '../../store/maintenance/archive.ts';
import { openVault } from '../../store/open.ts';
import type { Spot } from '../../store/vault/loaded-memory.ts';
import type { Vault } from '../../store/vault/vault.ts';
import { settlePlaces } from '../resolve-places.ts';
import { monthOfQuarantine } from '../retention.ts';
import { surveyed } from '../survey.ts';
import type { Ailment } from './problem.ts';

/** Files in quarantine beside a memory of the same id: git leaves them, and so does a sync of two texts. */
export function doubled(vault: Vault, root: string | undefined): Ailment[] {
  const beside = [...surveyed(vault, 'quarantine')].filter(
    ({ id }) => vault.parts.index.get('memories', id) !== undefined,
  );
  const { copies = [], others = [] } = Object.groupBy(beside, (known) =>
    vault.shelf.isCopy(known) ? 'copies' : 'others',
  );
  const pathOf = ({ stem }: Spot) => `quarantine/${stem}.md`;
  return [
    ...(copies.length === 0
      ? []
      : [
          {
            code: 'doubled-copy',
            severity: 'note' as const,
            about: copies.map(pathOf),
            what: 'Files in quarantine say exactly what a verified memory of the same id says.',
            means: 'The memory is served and they are not. Git leaves such files when it checks out an older state.',
            advice: 'Have them put into the archive, where nothing reads them.',
            repairs: [
              {
                name: 'archive-copies',
                question: 'Put these copies into the archive?',
                done: 'They lie in the archive. The memories are served as before.',
                apply: () => archiveCopies(root, copies),
              },
            ],
          },
        ]),
    ...(others.length === 0
      ? []
      : [
          {
            code: 'doubled-id',
            severity: 'note' as const,
            about: others.map(pathOf),
            what: 'Files in quarantine have the id of a memory that is in use, and nobody vouched for it as they say it.',
            means: 'The memory is served and they are not; as long as it is in use they cannot be restored.',
            advice: 'Compare each with the memory in surety review, and remove the file if you do not need it.',
            repairs: [],
          },
        ]),
  ];
}

async function archiveCopies(root: string | undefined, copies: readonly Spot[]): Promise<void> {
  const vault = await openVault(settlePlaces(root), { complain: () => {} });
  try {
    for (const { place, stem } of copies) {
      const copy = vault.loadSpot({ place, stem });
      // Somebody has taken it away since, which is all that was asked for.
      if (copy === undefined) continue;
      await archiveCopy(vault, copy, monthOfQuarantine(copy));
    }
  } finally {
    vault.close();
  }
}
