import { hash } from 'node:crypto';
import { reveal, Untrusted } from '../text/safe-text.ts';
import type { Tier } from '../trust/tiers.ts';
import type { MemoryId } from './ids.ts';
import type { MemoryType } from './limits.ts';

/** What a person vouches for: every part of it goes into the digest, and nothing else of a file is ever served. */
export interface Memory {
  readonly id: MemoryId;
  readonly type: MemoryType;
  readonly name: Untrusted;
  readonly description: Untrusted;
  readonly tags: readonly Untrusted[] | null;
  readonly project: Untrusted | null;
  /** Places in the project's files that it rests on: a path each, and perhaps what is to be found in it. */
  readonly anchors: readonly (readonly Untrusted[])[] | null;
  readonly body: Untrusted;
}

/** What a file says about its own standing. Claims, not facts: they can lower a memory and never raise it. */
export interface Claims {
  readonly tier: Tier | undefined;
  readonly quarantinedAt: number | undefined;
  readonly lastVerified: number | undefined;
}

export function lengthOf(text: string): number {
  let beyond = 0;
  const bounded = text.replace(ENDLESS_MARKS, (_, first: string, rest: string) => {
    beyond += pointsIn(rest);
    return first;
  });
  return beyond + pointsIn(bounded.normalize('NFC'));
}

/** More marks on one base than any script has. Normalizing sorts them, which would take quadratic time over an endless run. */
const ENDLESS_MARKS = /(\p{M}{32})(\p{M}+)/gu;

function pointsIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** SHA-256 over exactly what is confirmed. Signed into every receipt, so this can never change. */
export function digestOf(memory: Memory): string {
  const { id, type, name, description, tags, project, anchors, body } = memory;
  const parts = [
    anchors === null ? 'surety-1' : 'surety-2',
    id,
    type,
    reveal(name),
    reveal(description),
    tags === null ? null : tags.map(reveal),
    project === null ? null : reveal(project),
    reveal(body).replaceAll('\r\n', '\n'),
    ...(anchors === null ? [] : [anchors.map((anchor) => anchor.map(reveal))]),
  ];
  return sha256(JSON.stringify(parts));
}

/** What a reader does not see: controls, format and private characters, noncharacters, blanks that are no spaces. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu;

/** A body shorter than this says too little by itself: many memories may say "yes". */
const SHORT = 30;

/**
 * Tells whether two bodies say the same thing once hidden characters, case, width and spacing are ignored; so that a text
 * that was quarantined cannot come back under another name or with an invisible difference. Of a short one the name and the
 * project belong to what it says.
 */
export function sayingOf({ body, name, project }: Pick<Memory, 'body' | 'name' | 'project'>): string {
  const folded = foldedOf(body);
  if (lengthOf(folded) >= SHORT) return sha256(JSON.stringify(['surety-saying-1', folded]));
  const around = [foldedOf(name), project === null ? null : foldedOf(project)];
  return sha256(JSON.stringify(['surety-saying-2', folded, ...around]));
}

function foldedOf(text: Untrusted): string {
  return reveal(text)
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[\t-\r\u0085\p{Z}]+/gu, ' ')
    .replace(UNSEEN, '')
    .replace(/ +/g, ' ')
    .trim()
    .toLowerCase();
}

export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** Builds a memory from texts that came from outside. */
export function memoryOf(parts: {
  readonly id: MemoryId;
  readonly type: MemoryType;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[] | null;
  readonly project: string | null;
  readonly anchors?: readonly (readonly string[])[] | null;
  readonly body: string;
}): Memory {
  const anchors = parts.anchors ?? [];
  return {
    id: parts.id,
    type: parts.type,
    name: Untrusted.of(parts.name),
    description: Untrusted.of(parts.description),
    tags: parts.tags === null ? null : parts.tags.map((tag) => Untrusted.of(tag)),
    project: parts.project === null ? null : Untrusted.of(parts.project),
    anchors: anchors.length === 0 ? null : anchors.map((anchor) => anchor.map((text) => Untrusted.of(text))),
    body: Untrusted.of(parts.body),
  };
}
