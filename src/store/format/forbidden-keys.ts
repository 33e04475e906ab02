import { type FieldValue, KNOWN_KEYS } from '../../core/memory/document.ts';

const KNOWN: ReadonlySet<string> = new Set(KNOWN_KEYS);

/**
 * A key no file may have: a name every object already answers to, a merge key, or one that reads to a person like a key
 * that decides about trust and is another to a program.
 */
export function isForbidden(key: string): boolean {
  if (KNOWN.has(key)) return false;
  if (key in Object.prototype || key === 'prototype' || key === '<<') return true;
  // Also because gray-matter takes a line that begins with such white space and a # for a comment, and YAML does not.
  if (key.trim() !== key || key === '') return true;
  return KNOWN.has(appearance(key));
}

/** Whether two sets of fields say the same, in the same order. */
export function sameFields(one: ReadonlyMap<string, FieldValue>, other: ReadonlyMap<string, FieldValue>): boolean {
  return JSON.stringify([...one]) === JSON.stringify([...other]);
}

/** Upper case first: it folds letters, as the long s, that lower case leaves alone. */
function appearance(key: string): string {
  const visible = key.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.trim().toUpperCase().toLowerCase();
}
