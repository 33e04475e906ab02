import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../core/refusal.ts';
import { truncate, visible } from '../../core/text/safe-text.ts';
import type { Places } from '../places/places.ts';
import { keysIn } from './git.ts';

/**
 * What the repository's own settings may say: where it syncs with, who commits, how objects are stored. Everything else
 * could name a program to be run or another place to write to, and the file lies in the store, where anything with file
 * tools can edit it. What somebody needs beyond this belongs into their own settings of git.
 */
const HARMLESS = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  /^core\.(?:autocrlf|safecrlf|eol|compression|quotepath|abbrev|untrackedcache|commitgraph|preloadindex)$/,
  /^extensions\.objectformat$/,
  /^remote\..+\.(?:url|pushurl|fetch|prune|tagopt)$/s,
  /^branch\..+\.(?:remote|merge|rebase|description)$/s,
  /^(?:user\.(?:name|email|signingkey)|commit\.gpgsign|gpg\.format)$/,
  // Among those of gc is one that names a program.
  /^(?:gc(?!\.recentobjectshook)|pack|maintenance|color|advice|index)\.[a-z.-]+$/,
  /^(?:push\.(?:default|autosetupremote)|pull\.(?:rebase|ff)|fetch\.prune|merge\.(?:ff|conflictstyle))$/,
];

/** Parts of a repository that, as links, would let git write elsewhere. */
const PARTS = [
  'HEAD',
  'config',
  'objects',
  'refs',
  'refs/heads',
  'refs/remotes',
  'packed-refs',
  'logs',
  'info',
  'index',
];
/** By which a repository takes objects, or its history, from elsewhere. */
const BORROWED = ['objects/info/alternates', 'objects/info/http-alternates', 'info/grafts'];
/** Left behind by somebody's own merge or rebase that is not finished. */
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
  for (const part of PARTS) {
    if (kind(part)?.isSymbolicLink()) throw unusable(`The store’s .git/${part} is a link; sync does not follow it.`);
  }
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
  const shown = truncate(visible(odd, 'line'), 80);
  throw unusable(
    `The store’s .git/config sets ${shown}, which could make git run a program or write elsewhere. ` +
      'If you need it, set it in your own configuration (git config --global); then remove it from the store’s.',
  );
}

function unusable(sentence: string): Refusal {
  return new Refusal('repository-unusable', sentence);
}
