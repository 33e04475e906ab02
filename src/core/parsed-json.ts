import { isObject } from './is-object.ts';

/** The value that a text spells as JSON; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that a text spells as JSON; an empty one for any other text, so that what was damaged says nothing. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  return isObject(value) ? value : {};
}
