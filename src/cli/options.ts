import { type Given, Misuse } from './command.ts';

/** One of the allowed words, or undefined. */
export function choice<Word extends string>(
  { options }: Given,
  name: string,
  among: readonly Word[],
): Word | undefined {
  const written = options[name];
  const chosen = among.find((word) => word === written);
  if (written !== undefined && chosen === undefined) throw new Misuse(`--${name} is one of ${among.join(', ')}`);
  return chosen;
}

/** A whole number from 1 to `most`; `otherwise` if none is given. */
export function number({ options }: Given, name: string, most: number, otherwise: number): number {
  const written = options[name];
  if (written === undefined) return otherwise;
  const value = /^[1-9][0-9]{0,8}$/.test(written) ? Number(written) : Number.NaN;
  if (!(value <= most)) throw new Misuse(`--${name} is a number from 1 to ${most}`);
  return value;
}
