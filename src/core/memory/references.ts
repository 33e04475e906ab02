import { parseId } from './ids.ts';

const WIKI = /\[\[([^[\]\n|#]{1,200})(?:[|#][^[\]\n]{0,200})?\]\]/gu;
const LINK = /\]\(<?(?![a-z][a-z0-9+.-]*:)([^()<>\s#]{1,200})\.md(?:#[^()\s]{0,200})?>?\)/giu;

/**
 * The other memories that a text points to: `[[id]]`, `[[a name]]`, `[[id|words]]`, and links to a file named like an
 * id. A link to any other file points to documentation and is left out.
 */
export function referencesIn(text: string): string[] {
  const wiki = [...text.matchAll(WIKI)].map(([, target = '']) => target.trim().replace(/\.md$/i, ''));
  const links = [...text.matchAll(LINK)]
    .map(([, path = '']) => path.replace(/^.*[/\\]/, ''))
    .filter((stem) => parseId(stem) !== undefined);
  return [...new Set([...wiki, ...links])].filter((target) => target !== '');
}

/**
 * The names by which a text can point to a memory: its id, the id without its type, and its name. Case and gaps do not
 * matter.
 */
export function namesOf(id: string, name: string | undefined): string[] {
  return [id, id.slice(id.indexOf('_') + 1), ...(name === undefined ? [] : [name])].map(pointer);
}

export function pointer(target: string): string {
  return target
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '_');
}
