import { type FieldValue, KNOWN_KEYS } from '../../core/memory/document.ts';

const KNOWN: ReadonlySet<string> = new Set(KNOWN_KEYS);

/**
 * A key no file may have: a name that every object already has, a merge key, or one that a person would mistake for a
 * key that decides about trust.
 */
export function isForbidden(key: string): boolean {
  if (KNOWN.has(key)) return false;
  if (key in Object.prototype || key === 'prototype' || key === '<<') return true;
  // gray-matter also takes a line of such white space and a # for a comment; YAML does not.
  if (key.trim() !== key || key === '') return true;
  return KNOWN.has(appearance(key));
}

/** Whether two sets of fields are equal, also in their order. */
export function sameFields(one: ReadonlyMap<string, FieldValue>, other: ReadonlyMap<string, FieldValue>): boolean {
  return JSON.stringify([...one]) === JSON.stringify([...other]);
}

/** Upper case first: it folds letters, such as the long s, that lower case does not. */
function appearance(key: string): string {
  const visible = key.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.trim().toUpperCase().toLowerCase();
}
