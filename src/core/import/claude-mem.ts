import { LIMITS } from '../memory/limits.ts';
import { nameSlug } from '../memory/project.ts';
import { boundedJson } from './bounded-json.ts';
import { fittingTags, type ImportedText, importedText, named, shortened } from './imported-text.ts';

/** A row of claude-mem's database. Columns that are empty, or no text, are missing. */
export interface ClaudeMemRow {
  readonly table: 'observation' | 'summary';
  readonly id: number;
  /** The row is larger than a memory file may be, so its texts were not read. */
  readonly isTooLarge: boolean;
  /** When it was written, in milliseconds; 0 where it does not say. */
  readonly made: number;
  readonly texts: ReadonlyMap<string, string>;
}

/** The columns that are read of each table, by what a row of it is called. */
export const COLUMNS = {
  observation: ['project', 'title', 'subtitle', 'narrative', 'text', 'facts', 'concepts'],
  summary: ['project', 'request', 'investigated', 'learned', 'completed', 'next_steps', 'notes'],
} as const;

/**
 * A row as a memory of the project that claude-mem names, which is the name of a folder: with `project` the rows of a
 * folder of that name belong to it.
 */
export function importRow(
  row: ClaudeMemRow,
  project: string | undefined,
): ImportedText | { label: string; why: string } {
  const { table, id, isTooLarge, made, texts } = row;
  const label = `${table} ${id}`;
  if (isTooLarge) return { label, why: 'it is larger than 64 KiB' };
  const { title, description, body, tags } = table === 'observation' ? observation(texts) : summary(texts);
  if (body === '') return { label, why: 'there is no text in it' };
  const about = shortened(description || body, LIMITS.description.max);
  const folder = texts.get('project') ?? '';
  const isOther = folder !== '' && nameSlug(folder) !== project?.split('/').at(-1);
  return {
    ...importedText(label, 'project', named(shortened(title || body, LIMITS.name.max), 'Note'), about, body),
    tags: fittingTags(tags),
    ...(isOther && { project: folder }),
    ...(made > 0 && { made }),
  };
}

interface ObservedText {
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly tags: readonly string[];
}

function observation(texts: ClaudeMemRow['texts']): ObservedText {
  const [title = '', subtitle = ''] = [texts.get('title'), texts.get('subtitle')];
  const narrative = texts.get('narrative') ?? texts.get('text') ?? '';
  const facts = listIn(texts.get('facts')).map((fact) => `- ${fact.replaceAll('\n', '\n  ')}`);
  const body = [narrative || subtitle, facts.join('\n')].filter((part) => part !== '').join('\n\n');
  return { title, description: subtitle, body: body || title, tags: listIn(texts.get('concepts')) };
}

function summary(texts: ClaudeMemRow['texts']): ObservedText {
  const parts = COLUMNS.summary.slice(1).flatMap((column) => {
    const text = texts.get(column);
    const heading = `${column[0]?.toUpperCase()}${column.slice(1).replace('_', ' ')}`;
    return text === undefined ? [] : [`${heading}: ${text}`];
  });
  const request = texts.get('request') ?? '';
  const title = request === '' ? '' : `Session: ${request}`;
  return {
    title: shortened(title, LIMITS.name.max),
    description: texts.get('learned') ?? request,
    body: parts.join('\n\n'),
    tags: [],
  };
}

/** claude-mem keeps lists as JSON in a text. */
function listIn(written: string | undefined): readonly string[] {
  const list = boundedJson(written ?? '[]');
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string' && each.trim() !== '') : [];
}
