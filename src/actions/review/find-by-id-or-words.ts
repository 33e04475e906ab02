import { idOfStem } from '../../core/memory/ids.ts';
import { folded } from '../../core/search/fold-letters.ts';
import { parseQuery } from '../../core/search/query.ts';
import { sanitize } from '../../core/text/safe-text.ts';
import type { Loaded, Vault } from '../../store/vault/vault.ts';
import { isPathInQuarantine, loadStem } from '../memory-state.ts';

/** At most nine, because one key chooses among them. */
const MOST_OFFERED = 9;
/** At most 5,000 quarantined files are read, because they are not in the search index. */
const MOST_READ = 5_000;

/**
 * The memories that a person at a terminal may mean: one by its id or file, else those of exactly this name, else those that
 * have these words. The text of quarantined ones is shown to nobody else.
 */
export async function findByIdOrWords(
  vault: Vault,
  words: string,
  place: 'memories' | 'quarantine',
): Promise<readonly Loaded[]> {
  const stem = words.replace(/^.*[/\\]/, '').replace(/\.md$/, '');
  const named = idOfStem(stem) === undefined ? undefined : byStem(vault, stem, place, isPathInQuarantine(words));
  if (named !== undefined) return [named];
  const found = place === 'memories' ? await served(vault, words) : quarantined(vault, words);
  const same = found.filter((each) => plain(nameOf(each)) === plain(words));
  return (same.length > 0 ? same : found).slice(0, MOST_OFFERED);
}

/** Of two texts of one id, who asks for a quarantined memory means the one in quarantine. */
function byStem(vault: Vault, stem: string, place: 'memories' | 'quarantine', isPath: boolean): Loaded | undefined {
  const found = isPath ? undefined : loadStem(vault, stem);
  const isMeant = found !== undefined && (place === 'memories' || found.standing.tier === 'quarantined');
  return isMeant ? found : (loadStem(vault, stem, true) ?? found);
}

async function served(vault: Vault, words: string): Promise<Loaded[]> {
  const question = parseQuery(words);
  if (question.units.length === 0) return [];
  return (await vault.find([question], { limit: MOST_OFFERED })).found.map(({ loaded }) => loaded);
}

function quarantined(vault: Vault, words: string): Loaded[] {
  const wanted = plain(words).split(' ').filter(Boolean);
  const found: Loaded[] = [];
  let read = 0;
  for (const known of [...vault.survey('quarantine')]) {
    if (++read > MOST_READ || found.length === MOST_OFFERED || wanted.length === 0) break;
    const loaded = vault.loadSurveyed(known);
    if (loaded === undefined) continue;
    const text = plain([loaded.stem, nameOf(loaded), descriptionOf(loaded)].join(' '));
    if (wanted.every((word) => text.includes(word))) found.push(loaded);
  }
  return found;
}

function nameOf({ shown }: Loaded): string {
  return shown === undefined ? '' : sanitize(shown.name, 'line').toString();
}

function descriptionOf({ shown }: Loaded): string {
  return shown === undefined ? '' : sanitize(shown.description, 'line').toString();
}

function plain(text: string): string {
  return folded(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
