import type { Finding, FindingClass, Severity } from '../finding.ts';
import { gitPath, isInRepository } from '../memory/anchors.ts';
import { anchorsOf, type Document, type Fault, listOf, textOf } from '../memory/document.ts';
import { typeOfId } from '../memory/ids.ts';
import type { InspectedFile } from '../memory/inspected-file.ts';
import { LIMITS, TYPES } from '../memory/limits.ts';
import { lengthOf } from '../memory/memory.ts';
import { parseDate, parseTimestamp } from '../trust/clocks.ts';
import { TIERS } from '../trust/tiers.ts';
import type { Check, CheckEvidence } from './inspect.ts';
import { fileWith } from './sample-file.ts';

const FAULTS: Record<Fault, string> = {
  'not-utf8': 'The file is not UTF-8 text.',
  'too-large': 'The file is larger than 64 KiB.',
  nul: 'The file contains a NUL character.',
  'opening-missing': 'Missing opening frontmatter delimiter: the first line must be exactly three dashes.',
  'closing-missing': 'Missing closing frontmatter delimiter: a line of three dashes must end the frontmatter.',
  'frontmatter-too-large': 'The frontmatter is larger than 8 KiB or 400 lines.',
  'yaml-invalid': 'The frontmatter is not valid YAML.',
  'yaml-tag': 'The frontmatter uses a YAML tag; only plain text and lists are read.',
  'yaml-anchor': 'The frontmatter uses a YAML anchor or alias; only plain text and lists are read.',
  'yaml-duplicate-key': 'The frontmatter has the same key twice.',
  'yaml-forbidden-key': 'The frontmatter has a key that is not allowed; known keys are written in lower case.',
  'yaml-not-flat': 'The frontmatter is nested; only plain text and lists are read.',
};

const REQUIRED = ['name', 'description', 'type'] as const;

/** Whether the file is a memory, and whether its fields follow the format. */
export const structure: Check = {
  name: 'structure',
  evidence: evidence(),
  *run(subject) {
    if (subject.reading.kind === 'unreadable') {
      yield finding('structure', 'unreadable', 'file', subject.reading.line, FAULTS[subject.reading.fault]);
      return;
    }
    const { document } = subject.reading;
    yield* requiredFields(document);
    yield* bodyLength(subject, document);
    yield* oneLiners(document);
    yield* enumerations(document);
    yield* dates(document);
    yield* tags(document);
    yield* anchors(document);
    yield* askedAs(document);
    yield* fileName(subject, document);
    if (document.notes.includes('bom')) {
      yield finding(
        'format',
        'byte-order-mark',
        'file',
        1,
        'The file begins with a byte order mark; it is ignored.',
        'warn',
      );
    }
  },
};

function* requiredFields(document: Document): Iterable<Finding> {
  for (const key of REQUIRED) {
    const value = document.fields.get(key);
    if (value === undefined || value === null) {
      yield finding('structure', 'field-missing', key, lineOf(document, key), `Missing required field: ${key}.`);
    }
  }
}

function* bodyLength(subject: InspectedFile, document: Document): Iterable<Finding> {
  const length = lengthOf(document.body.trim());
  const { min, max } = LIMITS.body;
  const at = document.bodyLine;
  if (length < min)
    yield finding('structure', 'body-too-short', 'body', at, `Body too short: it needs at least ${min} characters.`);
  if (length > max) {
    const severity = subject.origin === 'proposal' ? 'block' : 'warn';
    yield finding(
      'format',
      'body-too-long',
      'body',
      at,
      `Body longer than ${max} characters: split it into several memories.`,
      severity,
    );
  }
}

function* oneLiners(document: Document): Iterable<Finding> {
  for (const key of ['name', 'description', 'project'] as const) {
    const value = document.fields.get(key);
    if (value === undefined || value === null) continue;
    const line = lineOf(document, key);
    const text = textOf(value);
    if (text === undefined) {
      yield finding('format', 'not-text', key, line, `${key} must be text, not a list.`);
      continue;
    }
    const { min, max } = LIMITS[key];
    const length = lengthOf(text);
    if (/[\n\r\u0085\u2028\u2029\v\f]/.test(text))
      yield finding('format', 'multi-line', key, line, `${key} must be one line.`);
    if (length < min || length > max) {
      yield finding('format', 'length', key, line, `${key} length invalid: ${min} to ${max} characters.`);
    }
  }
}

function* enumerations(document: Document): Iterable<Finding> {
  const allowed = { type: TYPES, 'trust-level': TIERS } as const;
  for (const [key, values] of Object.entries(allowed)) {
    const value = document.fields.get(key);
    if (value === undefined || value === null) continue;
    if (!values.some((v) => v === value)) {
      yield finding(
        'format',
        'unknown-value',
        key,
        lineOf(document, key),
        `${key} invalid: one of ${values.join(', ')}.`,
      );
    }
  }
}

function* dates(document: Document): Iterable<Finding> {
  const forms = {
    'created-at': { parse: parseTimestamp, form: 'YYYY-MM-DDTHH:MM:SSZ' },
    'last-verified': { parse: parseDate, form: 'YYYY-MM-DD' },
    'quarantined-at': { parse: parseTimestamp, form: 'YYYY-MM-DDTHH:MM:SSZ' },
  } as const;
  for (const [key, { parse, form }] of Object.entries(forms)) {
    const value = document.fields.get(key);
    if (value === undefined || value === null) continue;
    if (parse(textOf(value) ?? '') === undefined) {
      yield finding('format', 'date', key, lineOf(document, key), `${key} must be written ${form}.`);
    }
  }
}

function* tags(document: Document): Iterable<Finding> {
  const { count, min, max } = LIMITS.tags;
  const line = lineOf(document, 'tags');
  const list = listOf(document.fields.get('tags')) ?? [];
  if (list.length > count) yield finding('format', 'too-many-tags', 'tags', line, `At most ${count} tags.`);
  const bad = list.some((tag) => lengthOf(tag) < min || lengthOf(tag) > max || /[\n\r]/.test(tag));
  if (bad) yield finding('format', 'tag-length', 'tags', line, `Each tag is one line of ${min} to ${max} characters.`);
}

function* anchors(document: Document): Iterable<Finding> {
  const { count, path, text } = LIMITS.anchors;
  const found = anchorsOf(document.fields.get('anchors'));
  const isGood = ([where = '', what]: readonly string[]) =>
    isLine(where, 1, path) && isInRepository(gitPath(where)) && (what === undefined || isLine(what, 1, text));
  if (found !== undefined && (found === null || (found.length <= count && found.every(isGood)))) return;
  const form = `anchors is a list of at most ${count}, each [path] or [path, text]; a path is written from the top of the repository, without .. and .git, and has at most ${path} characters, a text at most ${text}, each on one line.`;
  yield finding('format', 'anchors', 'anchors', lineOf(document, 'anchors'), form);
}

function* askedAs(document: Document): Iterable<Finding> {
  const { count, min, max } = LIMITS.askedAs;
  const value = document.fields.get('asked-as');
  const list = listOf(value) ?? [];
  if (list.length <= count && list.every((text) => isLine(text, min, max))) return;
  const form = `asked-as is a list of at most ${count} texts, each one line of ${min} to ${max} characters.`;
  yield finding('format', 'asked-as', 'asked-as', lineOf(document, 'asked-as'), form);
}

function isLine(text: string, min: number, max: number): boolean {
  const length = lengthOf(text);
  return length >= min && length <= max && !/[\n\r\u0085\u2028\u2029\v\f]/.test(text);
}

function* fileName(subject: InspectedFile, document: Document): Iterable<Finding> {
  if (subject.id === undefined) {
    const message =
      'The file name is not an id; rename it to its type, an underscore and lower-case letters, digits or underscores.';
    // A bad name alone quarantines nothing: the file is reported and not served until it is renamed.
    yield finding('format', 'file-name', 'file', 1, message, subject.origin === 'proposal' ? 'block' : 'warn');
    return;
  }
  const type = textOf(document.fields.get('type'));
  if (TYPES.some((t) => t === type) && type !== typeOfId(subject.id)) {
    yield finding(
      'format',
      'type-prefix',
      'type',
      lineOf(document, 'type'),
      'type must equal the first word of the file name.',
    );
  }
}

function lineOf(document: Document, key: string): number {
  return document.lines.get(key) ?? 1;
}

function finding(
  class_: FindingClass,
  rule: string,
  field: string,
  line: number,
  message: string,
  severity: Severity = 'block',
): Finding {
  return { class: class_, rule, severity, field, line, message };
}

function evidence(): readonly CheckEvidence[] {
  const fine = fileWith({});
  return [
    {
      rule: 'unreadable',
      catches: ['', 'no frontmatter at all, only a sentence that is long enough', '---\nname: x\n'],
      allows: [fine],
    },
    { rule: 'field-missing', catches: [fileWith({ name: null }), fileWith({ type: '' })], allows: [fine] },
    {
      rule: 'body-too-short',
      catches: [fileWith({}, 'no'), fileWith({}, ' '.repeat(40))],
      allows: [fileWith({}, 'yes')],
    },
    { rule: 'body-too-long', catches: [fileWith({}, 'x'.repeat(5001))], allows: [fileWith({}, 'x'.repeat(5000))] },
    { rule: 'not-text', catches: [fileWith({ name: '[a, b]' })], allows: [fine] },
    { rule: 'multi-line', catches: [fileWith({ description: '"a\\nb"' })], allows: [fine] },
    {
      rule: 'length',
      catches: [fileWith({ name: 'x' }), fileWith({ description: '""' })],
      allows: [fileWith({ name: 'xy' })],
    },
    {
      rule: 'unknown-value',
      catches: [fileWith({ 'trust-level': 'trusted' })],
      allows: [fileWith({ 'trust-level': 'verified' })],
    },
    {
      rule: 'date',
      catches: [fileWith({ 'created-at': 'yesterday' })],
      allows: [fileWith({ 'last-verified': '2026-05-01' })],
    },
    {
      rule: 'too-many-tags',
      catches: [fileWith({ tags: '[a,b,c,d,e,f,g,h,i,j,k,l,m]' })],
      allows: [fileWith({ tags: '[a, b]' })],
    },
    {
      rule: 'tag-length',
      catches: [fileWith({ tags: `[${'x'.repeat(41)}]` })],
      allows: [fileWith({ tags: `[${'x'.repeat(40)}]` })],
    },
    {
      rule: 'anchors',
      catches: [
        fileWith({ anchors: 'src/main.ts' }),
        fileWith({ anchors: '[src/main.ts]' }),
        fileWith({ anchors: '[[src/main.ts, a, b]]' }),
        fileWith({ anchors: '[[]]' }),
        fileWith({ anchors: `[[src/main.ts, ${'x'.repeat(121)}]]` }),
        fileWith({ anchors: `[${'[a], '.repeat(8)}[a]]` }),
        fileWith({ anchors: '[[/etc/passwd]]' }),
        fileWith({ anchors: '[["C:\\\\shop\\\\main.ts"]]' }),
        fileWith({ anchors: '[[../main.ts]]' }),
        fileWith({ anchors: '[[./.git/config]]' }),
        fileWith({ anchors: '[[./]]' }),
      ],
      allows: [
        fileWith({ anchors: '[]' }),
        fileWith({ anchors: '[[src/main.ts], [package.json, "\\"engines\\""]]' }),
        fileWith({ anchors: '[[./src/main.ts], ["src\\\\main.ts"], [src/]]' }),
        fileWith({ anchors: `[${'[a], '.repeat(7)}[a, ${'x'.repeat(120)}]]` }),
      ],
    },
    {
      rule: 'asked-as',
      catches: [
        fileWith({ 'asked-as': '[ab]' }),
        fileWith({ 'asked-as': `[${'x'.repeat(121)}]` }),
        fileWith({ 'asked-as': '[one, two, three, four, five, sixth]' }),
      ],
      allows: [fileWith({ 'asked-as': '[how do I install, which package manager]' }), fileWith({ 'asked-as': '[]' })],
    },
    { rule: 'type-prefix', catches: [fileWith({ type: 'reference' })], allows: [fine] },
    { rule: 'byte-order-mark', catches: [`\uFEFF${fine}`], allows: [fine] },
  ];
}
