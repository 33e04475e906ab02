import { Refusal } from '../refusal.ts';
import type { ClientEntry, FileFormat } from './entries.ts';
import { childrenOf, isAmbiguous, type JsonNode, jsonValue, nodeAt, removed, treeOf, withValue } from './json-edit.ts';

/** JSON, with comments or without. */
export const json: FileFormat = {
  empty: '{}\n',
  isEmpty: (text) => text.replaceAll(/\s/g, '') === '{}',
  read: (text) => jsonValue(rootOf(text)),

  made(text, entries) {
    const root = rootOf(text);
    const paths = entries.flatMap(({ into }) => into.map((_, depth) => into.slice(0, depth + 1)));
    return paths.filter((path) => nodeAt(root, path) === undefined).map((path) => path.join('/'));
  },

  withEntries(text, entries) {
    let now = text;
    for (const { into, key, value, ours, outdated } of entries) {
      const root = rootFor(now, into, key);
      const items = childrenOf(nodeAt(root, into));
      const found = items.findIndex((item) => ours(jsonValue(item)).length > 0);
      const place = [...into, key ?? (found < 0 ? items.length : found)];
      const there = nodeAt(root, place);
      if (there === undefined) now = withValue(now, place, value);
      else if (ours(jsonValue(there)).length === 0) refuse(`something else is called ${key} in it`);
      else for (const [inner, wanted] of outdated(jsonValue(there))) now = withValue(now, [...place, ...inner], wanted);
    }
    return now;
  },

  withoutEntries(text, entries, made) {
    let now = text;
    for (const { into, key, ours } of entries) {
      const container = nodeAt(rootFor(now, into, key), into);
      const keys = key === undefined ? childrenOf(container).map((_, at) => at) : [key];
      const found = keys.flatMap((each) =>
        ours(jsonValue(nodeAt(container, [each]))).map((inner) => [...into, each, ...inner]),
      );
      // From the end, so that the remaining positions stay valid.
      for (const path of found.reverse()) now = removed(now, path);
      for (let depth = into.length; depth > 0; depth--) {
        const path = into.slice(0, depth);
        const left = nodeAt(treeOf(now), path);
        if (left === undefined || childrenOf(left).length > 0 || !made.includes(path.join('/'))) break;
        now = removed(now, path);
      }
    }
    return now;
  },
};

/** JSON whose client wants to know the version of its form. */
export const versioned: FileFormat = {
  ...json,
  empty: '{\n  "version": 1\n}\n',
  isEmpty: (text) => json.isEmpty(text.replace(/"version"\s*:\s*1/, '')),
};

function rootOf(text: string): JsonNode {
  return treeOf(text) ?? refuse('it is not JSON');
}

/** The tree of a file that can be changed safely. An entry's containers have the right type or are missing. */
function rootFor(text: string, into: ClientEntry['into'], key: ClientEntry['key']): JsonNode {
  const root = rootOf(text);
  const isFitting = [...into, key].every((_, depth) => {
    const wanted = depth < into.length || key !== undefined ? 'object' : 'array';
    const node = nodeAt(root, into.slice(0, depth));
    return node === undefined || node.type === wanted;
  });
  const path = key === undefined ? into : [...into, key];
  if (!isFitting || isAmbiguous(root, path)) refuse('it has another shape than its client documents');
  return root;
}

function refuse(why: string): never {
  throw new Refusal('unreadable-file', why);
}
