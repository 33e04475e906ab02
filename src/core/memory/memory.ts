import { hash } from 'node:crypto';
import { reveal, Untrusted } from '../text/safe-text.ts';
import { isPlain } from '../text/sanitize.ts';
import type { Tier } from '../trust/tiers.ts';
import type { MemoryId } from './ids.ts';
import type { MemoryType } from './limits.ts';

/** What a person vouches for. The digest covers every part of it, and no other part of a file is ever served. */
export interface Memory {
  readonly id: MemoryId;
  readonly type: MemoryType;
  readonly name: Untrusted;
  readonly description: Untrusted;
  readonly tags: readonly Untrusted[] | null;
  readonly project: Untrusted | null;
  /**
   * Places in the project's files that the memory relies on: a path each, and optionally a text that the file holds.
   */
  readonly anchors: readonly (readonly Untrusted[])[] | null;
  readonly body: Untrusted;
}

/** What a file claims about its own standing. Claims can lower a memory and never raise it. */
export interface Claims {
  readonly tier: Tier | undefined;
  readonly quarantinedAt: number | undefined;
  readonly lastVerified: number | undefined;
}

export function lengthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let beyond = 0;
  const bounded = text.replace(ENDLESS_MARKS, (_, first: string, rest: string) => {
    beyond += pointsIn(rest);
    return first;
  });
  return beyond + pointsIn(bounded.normalize('NFC'));
}

/**
 * At most 32 marks on one base are normalized, because no script has more, and sorting an endless run would take
 * quadratic time.
 */
const ENDLESS_MARKS = /(\p{M}{32})(\p{M}+)/gu;

function pointsIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** SHA-256 of exactly what a person confirms. Every receipt signs it, so the computation can never change. */
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

/**
 * Characters that a reader does not see: controls, format and private characters, noncharacters, and blanks other than
 * spaces.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu;

/** A body under 30 characters says too little by itself: many memories may say "yes". */
const SHORT = 30;

/**
 * A hash that is equal for two bodies if they differ only in hidden characters, case, width and spacing. So a
 * quarantined text cannot come back under another name or with an invisible difference. For a short body, the hash also
 * covers name and project.
 */
export function sayingOf({ body, name, project }: Pick<Memory, 'body' | 'name' | 'project'>): string {
  const folded = foldedOf(body);
  if (lengthOf(folded) >= SHORT) return sha256(JSON.stringify(['surety-saying-1', folded]));
  const around = [foldedOf(name), project === null ? null : foldedOf(project)];
  return sha256(JSON.stringify(['surety-saying-2', folded, ...around]));
}

/** What a short body says, whatever its name and project; null for a longer body, whose saying covers neither. */
export function shortSayingOf({ body }: Pick<Memory, 'body'>): string | null {
  const folded = foldedOf(body);
  return lengthOf(folded) < SHORT ? sha256(JSON.stringify(['surety-short-saying-1', folded])) : null;
}

/** Whether two short bodies say the same, whatever their names. One without a project is said of every project. */
export function saySameShort(one: Pick<Memory, 'body' | 'project'>, other: Pick<Memory, 'body' | 'project'>): boolean {
  const isElsewhere =
    one.project !== null && other.project !== null && foldedOf(one.project) !== foldedOf(other.project);
  return foldedOf(one.body) === foldedOf(other.body) && !isElsewhere;
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
