import { isObject } from '../../core/is-object.ts';
import type { Mention } from '../../core/memory/mentions.ts';
import { parsedObject } from '../../core/parsed-json.ts';
import type { Checkout } from './checkout.ts';

/**
 * Whether a repository no longer has what a text mentions. False also where that cannot be known: nobody declared the mention, so a
 * wrong alarm costs more than a miss.
 */
export function isLostMention(checkout: Checkout, mention: Mention, until: number): boolean {
  switch (mention.kind) {
    case 'path':
      return isLostPath(checkout, mention.name, until);
    case 'script':
      return hasScript(checkout.textOf('package.json', until), mention.script) === false;
    case 'target':
      return hasTarget(checkout.textOf('Makefile', until), mention.target) === false;
    case 'variable': {
      // Another program's variable was never in the repository: only one with the beginning of others there counts.
      const family = `${mention.name.split('_')[0]}_`;
      return checkout.contains(mention.name, until) === false && checkout.contains(family, until) === true;
    }
  }
}

/** A path counts if its first folder is tracked, or, for a name alone, if a file of that ending is. */
function isLostPath(checkout: Checkout, path: string, until: number): boolean {
  const tracked = checkout.tracked(until);
  if (tracked.length === 0 || checkout.tracks(path, until) !== false) return false;
  const [first = '', ...rest] = path.split('/');
  // A path may leave out where it begins: `core/text` for `src/core/text`.
  if (tracked.some((each) => each.endsWith(`/${path}`) || each.includes(`/${path}/`))) return false;
  if (rest.length > 0) return tracked.some((each) => each.startsWith(`${first}/`) || each.includes(`/${first}/`));
  return tracked.some((each) => each.endsWith(path.slice(path.lastIndexOf('.'))));
}

function hasScript(manifest: string | undefined, script: string): boolean | undefined {
  const { scripts } = parsedObject(manifest ?? '');
  return isObject(scripts) ? Object.hasOwn(scripts, script) : undefined;
}

function hasTarget(makefile: string | undefined, target: string): boolean | undefined {
  return makefile?.split('\n').some((line) => line.startsWith(`${target}:`) || line.startsWith(`${target} :`));
}
