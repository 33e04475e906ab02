import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import type { Places } from '../places/places.ts';
import { keysIn } from './git.ts';
import { type OutsideLink, outsideLink } from './links.ts';

/**
 * What the repository's own settings may say: where it syncs, who commits, how objects are stored. Everything else
 * could name a program to run or another place to write to, and anything with file tools can edit the file. Other
 * settings belong into the operator's own git config.
 */
const HARMLESS = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  /^core\.(?:autocrlf|safecrlf|eol|compression|quotepath|abbrev|untrackedcache|commitgraph|preloadindex)$/,
  /^extensions\.objectformat$/,
  /^remote\..+\.(?:url|fetch|prune|tagopt)$/s,
  /^branch\..+\.(?:remote|merge|rebase|description)$/s,
  /^(?:user\.(?:name|email|signingkey)|commit\.gpgsign|gpg\.format)$/,
  // One of the gc settings names a program.
  /^(?:gc(?!\.recentobjectshook)|pack|maintenance|color|advice|index)\.[a-z.-]+$/,
  /^(?:push\.(?:default|autosetupremote)|pull\.(?:rebase|ff)|fetch\.prune|merge\.(?:ff|conflictstyle))$/,
];

/** Files by which a repository takes objects or history from elsewhere. */
const BORROWED = ['objects/info/alternates', 'objects/info/http-alternates', 'info/grafts'];
/** Left behind by a person's unfinished merge or rebase. */
const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** Refuses a repository that is not the store's own, or whose settings could make git run something. */
export async function refuseForeignRepository({ root }: Pick<Places, 'root'>): Promise<void> {
  const folder = join(root, '.git');
  const kind = (path: string) => lstatSync(join(folder, path), { throwIfNoEntry: false });
  if (kind('') === undefined) {
    throw unusable('This store has no repository to sync. Run surety init --remote URL once, then surety sync.');
  }
  if (!kind('')?.isDirectory() || kind('commondir') !== undefined) {
    throw unusable('The store’s .git is a link or belongs to another repository; sync does not touch that one.');
  }
  refuseLinks(folder);
  const borrowed = BORROWED.find((name) => kind(name) !== undefined);
  if (borrowed !== undefined) {
    throw unusable(
      `The store’s repository borrows from another one (.git/${borrowed}); sync uses what is its own. ` +
        'Copy what it needs with git repack -a -d, then remove that file.',
    );
  }
  if (UNFINISHED.some((name) => kind(name) !== undefined)) {
    throw unusable(
      'A merge or rebase by hand is not finished in the store; finish it or abort it with git, then sync.',
    );
  }
  const odd = (await keysIn(join(folder, 'config'))).find((key) => !HARMLESS.some((allowed) => allowed.test(key)));
  if (odd === undefined) return;
  const shown = truncate(visible(maskSecrets(odd), 'line'), 80);
  throw unusable(
    `The store’s .git/config sets ${shown}, which could make git run a program or write elsewhere. ` +
      'If you need it, set it in your own configuration (git config --global); then remove it from the store’s.',
  );
}

const WAYS_OUT: Readonly<Record<OutsideLink['kind'], string>> = {
  link: 'is a link',
  'hard-link': 'has a second name elsewhere (a hard link)',
  'not-a-file': 'is neither a file nor a folder',
};

/** Refuses a repository that contains a link, before git could follow it. */
export function refuseLinks(folder: string): void {
  const out = outsideLink(folder);
  if (out === undefined) return;
  const shown = truncate(visible(maskSecrets(out.path), 'line'), 120);
  throw unusable(
    `The store’s .git/${shown} ${WAYS_OUT[out.kind]}, and git would write wherever it leads; nothing was synced. ` +
      'See where it leads and who made it, put a plain file or folder in its place or remove it, then sync.',
  );
}

/** Call before each start of git: no link was added, and the settings are still the ones that were checked. */
export function refuseChanges({ root }: Pick<Places, 'root'>): () => void {
  const folder = join(root, '.git');
  const settings = () => readFileSync(join(folder, 'config'));
  const seen = settings();
  return () => {
    refuseLinks(folder);
    if (settings().equals(seen)) return;
    throw unusable('The store’s .git/config was changed while it was synced; see what it says now, then sync again.');
  };
}

/** Why sync does not go on with the store's repository. */
export function unusable(sentence: string): Refusal {
  return new Refusal('repository-unusable', sentence);
}
