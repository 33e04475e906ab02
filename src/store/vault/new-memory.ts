import { refuseBlocked } from '../../core/checks/enforce.ts';
import { type Check, type Inspection, inspect } from '../../core/checks/inspect.ts';
import { gitPath } from '../../core/memory/anchors.ts';
import type { Document } from '../../core/memory/document.ts';
import { type HintsTaken, newHints } from '../../core/memory/hints.ts';
import type { MemoryId } from '../../core/memory/ids.ts';
import { type InspectedFile, subjectOf } from '../../core/memory/inspected-file.ts';
import type { MemoryType } from '../../core/memory/limits.ts';
import { digestOf, type Memory, sayingOf } from '../../core/memory/memory.ts';
import { projectSlug } from '../../core/memory/project.ts';
import { Refusal } from '../../core/refusal.ts';
import { maskSecrets } from '../../core/secrets/detect.ts';
import { storedText } from '../../core/text/private-passages.ts';
import { Untrusted } from '../../core/text/safe-text.ts';
import { dateOf, timestamp } from '../../core/trust/clocks.ts';
import type { Tier } from '../../core/trust/tiers.ts';
import { type Composed, compose, composedBody } from '../format/format.ts';
import type { Written } from '../format/yaml-quote.ts';
import type { Loaded } from './loaded-memory.ts';

/** A memory to be created, as its writer wrote it. */
export interface NewMemory {
  readonly type: MemoryType;
  readonly name: string;
  readonly description: string;
  readonly tags?: readonly string[] | undefined;
  readonly project?: string | undefined;
  /** Ways somebody would ask for it, for finding it: no yes covers them. */
  readonly askedAs?: readonly string[] | undefined;
  /** Places in the project's files that it rests on: a path each, and optionally a text to be found there. */
  readonly anchors?: readonly (readonly string[])[] | undefined;
  readonly body: string;
  /** Set by the operator's own commands, where the yes names the id. Otherwise the server makes an id from the name. */
  readonly id?: MemoryId | undefined;
  /** The memory that this one corrects or replaces. */
  readonly replaces?: string | undefined;
}

/** What became of it: written, or found to be here already. */
export interface Creation {
  readonly kind: 'created' | 'existing';
  readonly loaded: Loaded;
  readonly hints: HintsTaken;
}

export interface MadeFile {
  readonly bytes: Buffer;
  readonly subject: InspectedFile;
  readonly digest: string;
  readonly saying: string;
  readonly inspection: Inspection;
}

/** A memory that a person may store, with the id that it would get. */
export interface Drafted extends Pick<MadeFile, 'inspection'> {
  readonly id: MemoryId;
  readonly memory: Memory;
  readonly document: Document | undefined;
}

/** One line as it will be stored. */
export function cleanLine(text: string): string {
  return storedText(text, 'line');
}

/**
 * The memory as it is stored: without passages marked private, and sanitized. It is done here so that no writer can
 * skip it.
 */
export function cleaned(newMemory: NewMemory): NewMemory {
  const line = cleanLine;
  const tags = [...new Map((newMemory.tags ?? []).map((tag) => [line(tag).toLowerCase(), line(tag)])).values()];
  const project = storedProject(line(newMemory.project ?? ''));
  const hints = newHints((newMemory.askedAs ?? []).map(line)).filter((hint) => hint !== '');
  const lines = (newMemory.anchors ?? []).map((anchor) => anchor.map(line).filter((part) => part !== ''));
  const anchors = lines.map(([path, ...text]) => (path === undefined ? [] : [gitPath(path), ...text]));
  return {
    ...newMemory,
    name: line(newMemory.name),
    description: line(newMemory.description),
    tags: tags.length === 0 ? undefined : tags,
    project: project === '' ? undefined : project,
    anchors: anchors.length === 0 ? undefined : anchors,
    askedAs: hints.length === 0 ? undefined : hints,
    body: storedText(newMemory.body, 'body'),
  };
}

/** Left as it was sent where it may hold a secret: in lower case no check would know it, and a reader might. */
function storedProject(line: string): string {
  return maskSecrets(line) === line ? projectSlug(line) : line;
}

/** A new memory that is shown to a person and not stored: what they see is read back from the bytes of its file. */
export function drafted(
  clean: NewMemory,
  id: MemoryId,
  at: number,
  machine: string,
  checks: readonly Check[],
): Drafted {
  const { subject, inspection } = makeFile(clean, id, 'verified', at, machine, checks);
  refuseBlocked(inspection);
  const { memory, document } = subject;
  if (memory === undefined) throw new Refusal('checks-failed', 'There is no memory in this text; see the findings.');
  return { id, memory, document, inspection };
}

/** The saying of a new memory, to find an existing one with the same text. */
export function sayingOfNew(newMemory: NewMemory): string {
  const { body, name, project } = newMemory;
  return sayingOf({
    body: Untrusted.of(composedBody(body)),
    name: Untrusted.of(name),
    project: project === undefined ? null : Untrusted.of(project),
  });
}

/**
 * The file of a cleaned new memory, parsed and checked like any other. So the digest covers exactly what a reader will
 * find.
 */
export function makeFile(
  newMemory: NewMemory,
  id: MemoryId,
  tier: Exclude<Tier, 'quarantined'>,
  at: number,
  machine: string,
  checks: readonly Check[],
): MadeFile {
  const fields = new Map<string, Written>([
    ['name', newMemory.name],
    ['description', newMemory.description],
    ['type', newMemory.type],
    ...(newMemory.tags === undefined ? [] : ([['tags', newMemory.tags]] as const)),
    ...(newMemory.project === undefined ? [] : ([['project', newMemory.project]] as const)),
    ...(newMemory.anchors === undefined ? [] : ([['anchors', newMemory.anchors]] as const)),
    ...(newMemory.askedAs === undefined ? [] : ([['asked-as', newMemory.askedAs]] as const)),
    ['source-machine', machine],
    ['created-at', timestamp(at)],
    ['trust-level', tier],
    ...(tier === 'verified' ? ([['last-verified', dateOf(at)]] as const) : []),
  ]);
  let composed: Composed;
  try {
    composed = compose(fields, newMemory.body);
  } catch {
    throw new Refusal('checks-failed', 'The text is too large for a memory; shorten it or split it into several.');
  }
  const { bytes, reading } = composed;
  const subject = subjectOf(id, reading, 'proposal');
  const inspection = inspect(subject, checks);
  if (subject.memory === undefined) {
    throw new Refusal('checks-failed', 'Name, description and type are needed; see the findings.', inspection.findings);
  }
  return { bytes, subject, digest: digestOf(subject.memory), saying: sayingOf(subject.memory), inspection };
}
