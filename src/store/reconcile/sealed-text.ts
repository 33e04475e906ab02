import { timingSafeEqual } from 'node:crypto';
import type { Inside } from '../vault/inside-of-vault.ts';

/** In hex. */
const SEAL = 64;

/** A text for the index that only this machine can have written, and for this purpose. */
export function sealed({ key }: Inside, purpose: string, text: string): string {
  return `${key.seal(purpose, text)}${text}`;
}

/** Undefined for what this machine has not sealed for this purpose. */
export function unsealed({ key }: Inside, purpose: string, kept: string): string | undefined {
  const [seal, text] = [kept.slice(0, SEAL), kept.slice(SEAL)];
  const right = Buffer.from(key.seal(purpose, text));
  const given = Buffer.from(seal);
  return given.length === right.length && timingSafeEqual(given, right) ? text : undefined;
}
