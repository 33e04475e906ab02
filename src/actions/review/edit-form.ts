import { inspect } from '../../core/checks/inspect.ts';
import { structure } from '../../core/checks/structure.ts';
import type { Finding } from '../../core/finding.ts';
import { anchorsOf, type FieldValue, listOf, textOf } from '../../core/memory/document.ts';
import { subjectOf } from '../../core/memory/inspected-file.ts';
import { TYPES } from '../../core/memory/limits.ts';
import { Refusal } from '../../core/refusal.ts';
import { compose, read } from '../../store/format/format.ts';
import type { NewMemory } from '../../store/vault/vault.ts';

/** A memory in a person's own words, without an id. */
export type Wording = Omit<NewMemory, 'id' | 'replaces'>;

const FIELDS = ['name', 'description', 'type', 'tags', 'project', 'anchors', 'asked-as'] as const;
/** Those that may be a list. */
const LISTS: readonly string[] = ['tags', 'anchors', 'asked-as'];
/** What follows it is ours. The last one counts: a stored text may hold this line too. */
const CUT = '# ------------------------ >8 ------------------------';

/**
 * Some editors read settings from the first and last lines of a file, and the text between may come from anybody. So
 * these first five lines and the last six are ours.
 */
const ABOVE = `---
# Change what you like and save. Nothing is stored before you have seen it
# whole and said yes. Left as it is, or emptied, nothing happens.
# type: ${TYPES.join(', ')}. The keys below project may be left out, tags and project too.
# anchors: [[path], [path, "text in it"]] in the project's repository.
# A value with a colon in it needs "double quotes" around it.
`;
const BELOW = `${CUT}
# This line and all below it are left out. They are here because some
# editors look for settings in the last lines of a file, and what is
# stored should not be found there.
#
#
`;

/** A memory as a person edits it: the form of a memory file, with what is theirs to write. */
export function formOf({ name, description, type, tags, project, anchors, askedAs, body }: Wording): string {
  const fields = new Map<string, NonNullable<FieldValue>>([
    ['name', name],
    ['description', description],
    ['type', type],
    ['tags', tags ?? []],
    ['project', project ?? ''],
    ['anchors', anchors ?? []],
    ['asked-as', askedAs ?? []],
  ]);
  return `${ABOVE}${composed(fields, body).slice('---\n'.length)}\n${BELOW}`;
}

function composed(fields: ReadonlyMap<string, NonNullable<FieldValue>>, body: string): string {
  try {
    return compose(fields, body).bytes.toString('utf8');
  } catch {
    throw new Refusal('unreadable-file', 'The text is too large to be edited here; write it again with surety add.');
  }
}

/**
 * What a person wrote into the form, the findings about the form itself with their lines, or that the form was emptied.
 */
export function wordingIn(form: string): Wording | 'emptied' | readonly Finding[] {
  const lines = form.split('\n');
  const cut = lines.findLastIndex((line) => line.trimEnd() === CUT);
  const text = (cut < 0 ? lines : lines.slice(0, cut)).join('\n');
  const reading = read(Buffer.from(text, 'utf8'));
  if (reading.kind === 'unreadable') {
    if (text.trim() === '') return 'emptied';
    return inspect(subjectOf('user_draft', reading, 'proposal'), [structure]).findings;
  }
  const { fields, lines: where, body } = reading.document;
  const wrong = (key: string, message: string): Finding[] => [
    { class: 'format', rule: 'edit-form', severity: 'block', field: 'frontmatter', line: where.get(key) ?? 1, message },
  ];
  const given = (field: (typeof FIELDS)[number]) => plain(fields.get(field));
  const type = TYPES.find((known) => known === given('type'));
  const unknown = [...fields.keys()].find((key) => !FIELDS.some((field) => field === key));
  if (unknown !== undefined)
    return wrong(unknown, `Only ${FIELDS.join(', ')} can be written here; take this line out.`);
  const listed = FIELDS.find((field) => !LISTS.includes(field) && given(field) === undefined);
  if (listed !== undefined) return wrong(listed, `${listed} is one line of text, not a list.`);
  if (type === undefined) return wrong('type', `type is one of ${TYPES.join(', ')}.`);
  const anchors = anchorsOf(fields.get('anchors'));
  if (anchors === undefined) return wrong('anchors', 'anchors is a list of lists, each [path] or [path, text].');
  const [tags, askedAs] = [written(listOf(fields.get('tags'))), written(listOf(fields.get('asked-as')))];
  return {
    type,
    name: given('name') ?? '',
    description: given('description') ?? '',
    tags: tags.length === 0 ? undefined : tags,
    project: given('project')?.trim() || undefined,
    anchors: anchors ?? [],
    askedAs,
    body: body.trim(),
  };
}

/** Whether two wordings have the same hints. Nobody vouches for hints. */
export function sameHints(one: Wording, other: Wording): boolean {
  return JSON.stringify(written(one.askedAs)) === JSON.stringify(written(other.askedAs));
}

/** Whether two wordings would be stored alike, hints aside. */
export function sameWording(one: Wording, other: Wording): boolean {
  const parts = ({ type, name, description, tags, project, anchors = [], body }: Wording) =>
    JSON.stringify([type, name.trim(), description.trim(), written(tags), project ?? '', anchors, body.trim()]);
  return parts(one) === parts(other);
}

/** The items that show: one of invisible characters only is left out. */
function written(list: readonly string[] | null | undefined): readonly string[] {
  return (list ?? []).filter((item) => item.trim() !== '');
}

/** A key without a value counts as an empty line; undefined for a list. */
function plain(value: FieldValue | undefined): string | undefined {
  return value === undefined || value === null ? '' : textOf(value);
}
