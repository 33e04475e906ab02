import { basename, dirname, join, relative, sep } from 'node:path';
import { inspect } from '../../core/checks/inspect.ts';
import { structure } from '../../core/checks/structure.ts';
import { isNote } from '../../core/import/basic-memory.ts';
import { importRow } from '../../core/import/claude-mem.ts';
import { flattened, type Index, importIndex, importTopic, readIndex } from '../../core/import/claude-memory-folder.ts';
import { importCodexMemories, whyNotOfCodex } from '../../core/import/codex-memories.ts';
import { isCursorRules } from '../../core/import/cursor-rules.ts';
import { importForeign, isInstructions, isMeantAsMemory } from '../../core/import/foreign-markdown.ts';
import type { ImportedItem, ImportedText } from '../../core/import/imported-text.ts';
import { type Graph, importEntity, readGraph } from '../../core/import/knowledge-graph.ts';
import { looseFrontmatter } from '../../core/import/loose-frontmatter.ts';
import { readMem0 } from '../../core/import/mem0-export.ts';
import { type Reading, textOf } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { Refusal } from '../../core/refusal.ts';
import { utf8Text } from '../../core/text/utf8-text.ts';
import type { Disk } from '../../store/disk/disk.ts';
import type { ImportedFile } from '../../store/exchange/import-file.ts';
import {
  INDEX,
  type ListedFile,
  type Passed,
  readFile,
  type Source,
  unread,
  WHY_NOT_TEXT,
} from '../../store/exchange/import-source.ts';
import { compose, read } from '../../store/format/format.ts';
import { cleaned } from '../../store/vault/vault.ts';

/** One item of a source: a memory file to import, or why it is not one. */
export type ImportPiece =
  | { readonly label: string; readonly arrival: ImportedFile }
  | { readonly label: string; readonly refusal: Refusal }
  | Passed;

/** The kind of a source, as programs see it. */
type Kind =
  | 'claude-code-memory'
  | 'codex-memories'
  | 'agent-instructions'
  | 'cursor-rules'
  | 'basic-memory'
  | 'mem0'
  | 'claude-mem'
  | 'markdown'
  | 'knowledge-graph';

export interface Recognized {
  readonly kind: Kind;
  /** The number of files or entities; their content is read one by one. */
  readonly size: number;
  /** A single markdown file was named. */
  readonly isOneFile?: true;
  pieces(): Generator<ImportPiece>;
}

/** Recognizes a source by its content. `project` is the scope of memories that name none. */
export function recognize(source: Source, disk: Disk, project: string | undefined): Recognized {
  if (source.kind === 'claude-mem') {
    const texts = source.rows.map((row) => importRow(row, project));
    return { kind: 'claude-mem', size: texts.length, pieces: () => arrivalsOf(texts, undefined, project) };
  }
  if (source.kind === 'text') {
    const memories = readMem0(source.text);
    if (memories !== undefined)
      return { kind: 'mem0', size: memories.length, pieces: () => arrivalsOf(memories, undefined, project) };
    const graph = readGraph(source.text);
    if (graph.entities.size === 0)
      throw unread('this file is neither markdown nor a memory server’s JSON lines nor an export of mem0');
    return { kind: 'knowledge-graph', size: graph.entities.size, pieces: () => entities(graph, project) };
  }
  const { files, passed } = source;
  if (files.length === 0)
    throw unread('there is no markdown file in this folder; of a memory server or mem0 name the file itself');
  return {
    kind: kindOf(files, disk),
    size: files.length,
    ...(source.isOneFile && { isOneFile: true }),
    pieces: () => new ImportFolder(files, disk, project).pieces(passed),
  };
}

function kindOf(files: readonly ListedFile[], disk: Disk): Kind {
  if (files.some(({ codex }) => codex !== undefined)) return 'codex-memories';
  if (files.some(({ index }) => index !== undefined)) return 'claude-code-memory';
  const all = (is: (fileName: string) => boolean) => files.every(({ path }) => is(basename(path)));
  if (all(isCursorRules)) return 'cursor-rules';
  if (all(isInstructions)) return 'agent-instructions';
  return files.slice(0, LOOKED_INTO).some(({ path }) => isNoteAt(path, disk)) ? 'basic-memory' : 'markdown';
}

/** At most 20 files are read to recognize a folder, because it may hold a hundred thousand. */
const LOOKED_INTO = 20;

function isNoteAt(path: string, disk: Disk): boolean {
  const found = readFile(disk, path);
  const text = 'bytes' in found ? utf8Text(found.bytes) : undefined;
  return text !== undefined && isNote(looseFrontmatter(text));
}

const NO_TEXT = 'there is no text in it';
const NO_ENTITY = 'it is neither an entity nor a relation, or a name in it is too long for one';

function* entities({ entities, unknown, moreUnknown }: Graph, project: string | undefined): Generator<ImportPiece> {
  for (const line of unknown) yield { label: `line ${line}`, why: NO_ENTITY };
  if (moreUnknown > 0) yield { label: `${moreUnknown} more lines`, why: NO_ENTITY };
  for (const entity of entities.values()) {
    yield* arrivalsOf(importEntity(entity), undefined, project);
  }
}

function* arrivalsOf(
  items: readonly ImportedItem[],
  modified: number | undefined,
  project: string | undefined,
): Generator<ImportPiece> {
  for (const each of items) yield 'why' in each ? each : arrivalOf(each, modified, project);
}

/** Markdown files in a folder; an index is read with the first file beside it. */
class ImportFolder {
  readonly #files: readonly ListedFile[];
  readonly #disk: Disk;
  readonly #project: string | undefined;
  readonly #indexes = new Map<string, Index | undefined>();

  constructor(files: readonly ListedFile[], disk: Disk, project: string | undefined) {
    this.#files = files;
    this.#disk = disk;
    this.#project = project;
  }

  *pieces(passed: readonly Passed[]): Generator<ImportPiece> {
    yield* passed;
    for (const listed of this.#files) {
      if (listed.codex !== undefined) yield* this.#fromCodex(listed, listed.codex);
      else if (basename(listed.path) === INDEX) yield* this.#fromIndex(listed);
      else yield* this.#fromFile(listed);
    }
  }

  *#fromIndex({ path, label }: ListedFile): Generator<ImportPiece> {
    const found = readFile(this.#disk, path);
    const rest = this.#index(path)?.rest;
    if (!('bytes' in found)) yield { label, why: found.why };
    else if (rest === undefined) yield { label, why: WHY_NOT_TEXT };
    else yield* arrivalsOf(importIndex(label, rest), found.modified, this.#project);
  }

  *#fromCodex({ path, label }: ListedFile, within: string): Generator<ImportPiece> {
    const why = whyNotOfCodex(within);
    const found = why === undefined ? readFile(this.#disk, path) : { why };
    if (!('bytes' in found)) return yield { label, why: found.why };
    const text = utf8Text(found.bytes);
    if (text === undefined) return yield { label, why: WHY_NOT_TEXT };
    yield* arrivalsOf(importCodexMemories(label, text), found.modified, this.#project);
  }

  *#fromFile({ path, label, index }: ListedFile): Generator<ImportPiece> {
    const found = readFile(this.#disk, path);
    if (!('bytes' in found)) return yield { label, why: found.why };
    const { bytes, reading } = flat(found.bytes);
    const document = reading.kind === 'document' ? reading.document : undefined;
    const stem = basename(path, '.md');
    if (textOf(document?.fields.get('trust-level')) === 'quarantined')
      return yield { label, why: 'it says that it is quarantined where it comes from' };
    if (misfits(reading)) {
      const text = bytes.toString('utf8');
      if (index !== undefined) {
        const hook = this.#index(index)?.hooks.get(relative(dirname(index), path).replaceAll(sep, '/'));
        if (hook === undefined && text.trim() === '') return yield { label, why: NO_TEXT };
        const topic = importTopic(label, stem, document ?? text, hook);
        return yield arrivalOf(topic, found.modified, this.#project);
      }
      if (!isMeantAsMemory(looseFrontmatter(text)) && !isCutOff(reading)) {
        const parts = importForeign(label, basename(path), text);
        if (parts.length === 0) yield { label, why: NO_TEXT };
        return yield* arrivalsOf(parts, found.modified, this.#project);
      }
    }
    yield { label, arrival: { bytes, stem, modified: found.modified, project: this.#project } };
  }

  #index(path: string): Index | undefined {
    if (!this.#indexes.has(path)) {
      const found = readFile(this.#disk, path);
      const isHere = (name: string) => !name.includes('..') && this.#disk.exists(join(dirname(path), name));
      const text = 'bytes' in found ? utf8Text(found.bytes) : undefined;
      this.#indexes.set(path, text === undefined ? undefined : readIndex(text, isHere));
    }
    return this.#indexes.get(path);
  }
}

/** Flattens a file whose type is nested one level down, so that it reads like any other. */
function flat(bytes: Buffer): { readonly bytes: Buffer; readonly reading: Reading } {
  const reading = read(bytes);
  if (reading.kind === 'document' || reading.fault !== 'yaml-not-flat') return { bytes, reading };
  const text = flattened(bytes.toString('utf8'));
  const again = text === undefined ? undefined : Buffer.from(text);
  return again === undefined ? { bytes, reading } : { bytes: again, reading: read(again) };
}

/** Whether only its form keeps a text from being a memory; a file that is not text is refused instead. */
function misfits(reading: Reading): boolean {
  if (reading.kind === 'unreadable' && ['not-utf8', 'nul', 'too-large'].includes(reading.fault)) return false;
  return inspect(subjectOf('', reading, 'found'), [structure]).blocked;
}

/** Frontmatter without an end: what would be the text cannot be known. */
function isCutOff(reading: Reading): boolean {
  return reading.kind === 'unreadable' && reading.fault === 'closing-missing';
}

function arrivalOf(
  { label, made, ...text }: ImportedText,
  modified: number | undefined,
  project: string | undefined,
): ImportPiece {
  const { type, name, description, tags, project: own, askedAs, body } = cleaned(text);
  const named = { name, description, type, ...(tags && { tags }), ...(own && { project: own }) };
  const fields = { ...named, ...(askedAs && { 'asked-as': askedAs }) };
  try {
    const { bytes } = compose(new Map<string, string | readonly string[]>(Object.entries(fields)), body);
    return {
      label,
      arrival: { bytes, stem: undefined, modified: made ?? modified ?? Number.POSITIVE_INFINITY, project },
    };
  } catch {
    return { label, refusal: new Refusal('checks-failed', 'It is too large for a memory; split it into several.') };
  }
}
