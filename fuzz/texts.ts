import fc from 'fast-check';
import { checksFor } from '../src/core/checks/all.ts';
import { hiddenIn } from '../src/core/checks/hidden-text.ts';
import { inspect } from '../src/core/checks/inspect.ts';
import type { MemoryId } from '../src/core/memory/ids.ts';
import { subjectOf } from '../src/core/memory/inspected-file.ts';
import { digestOf, memoryOf } from '../src/core/memory/memory.ts';
import { frame } from '../src/core/present/model-frame.ts';
import { parseQuery } from '../src/core/search/query.ts';
import { escapeMarkup, sanitize, truncate, visible } from '../src/core/text/safe-text.ts';
import { read, rewrite } from '../src/store/format/format.ts';
import { DEFAULTS } from '../src/store/places/settings.ts';
import { readOne } from '../torture/checker/file.ts';
import { changed, changes, hostileText, memoryFile, query } from './arbitraries.ts';
import { hold, type Property, pure } from './property.ts';

const CHECKS = checksFor(DEFAULTS);

/** The parser. */
export const parser: readonly Property[] = [
  pure(
    'a file is read the same twice, is never an exception, and says nothing else to another reader of the same format',
    400,
    fc.property(memoryFile, changes, (file, how) => {
      const bytes = changed(file, how);
      const reading = read(bytes);
      hold(JSON.stringify(reading) === JSON.stringify(read(bytes)), 'two readings differ');
      if (reading.kind === 'unreadable') return;
      const subject = subjectOf('user_x', reading, 'found', bytes);
      const other = readOne('memories', 'user_x', bytes);
      // The other reader knows plain lines only, and does not look at sizes; where both read a memory it is the same one.
      if (other.torn !== undefined || subject.memory === undefined || !isPlainFile(bytes)) return;
      hold(other.digest === digestOf(subject.memory), 'two readers find two texts');
    }),
  ),
  pure(
    'a rewrite of any file that can be read changes the keys it was asked to change, and no byte of the body',
    400,
    fc.property(memoryFile, changes, fc.constantFrom('verified', 'quarantined', 'inferred'), (file, how, tier) => {
      const bytes = changed(file, how);
      const before = read(bytes);
      if (before.kind === 'unreadable') return;
      let written: Buffer;
      try {
        written = rewrite(
          bytes,
          new Map([
            ['trust-level', tier],
            ['last-verified', '2026-03-08'],
            ['quarantined-at', null],
          ]),
        );
      } catch {
        // No room, or no place for a key: nothing is written then.
        return;
      }
      const after = read(written);
      hold(after.kind === 'document', 'what was written cannot be read');
      hold(after.document.fields.get('trust-level') === tier, 'the key was not set');
      hold(after.document.body === before.document.body, 'the body changed');
      const others = (fields: ReadonlyMap<string, unknown>) =>
        JSON.stringify(
          [...fields].filter(([key]) => !['trust-level', 'last-verified', 'quarantined-at'].includes(key)),
        );
      hold(others(after.document.fields) === others(before.document.fields), 'another key changed');
    }),
  ),
  pure(
    'the checks say the same twice of any file, are never an exception, and never crash one another',
    200,
    fc.property(memoryFile, changes, (file, how) => {
      const bytes = changed(file, how);
      const look = () => inspect(subjectOf('user_x', read(bytes), 'found', bytes), CHECKS);
      const first = look();
      hold(first.crashed.length === 0, `a check crashed: ${first.crashed.join()}`);
      hold(JSON.stringify(first) === JSON.stringify(look()), 'two inspections differ');
    }),
  ),
];

/** Only the plain one-line values that the other reader knows. */
function isPlainFile(bytes: Buffer): boolean {
  const [, head = ''] = bytes.toString('utf8').split(/^---[ \t]*\r?$/m);
  return head
    .split(/\r?\n/)
    .filter(Boolean)
    .every((line) => /^[a-z-]+: (?:[\p{L}\p{N}][\p{L}\p{N} ._/-]*|"(?:[^"\\]|\\["\\nrt])*")$/u.test(line));
}

const FORBIDDEN = /(?!\t|\n)[\p{Cc}\p{Cs}\p{Co}\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
const ENTITY = /&(?:amp|lt|gt|quot|#39);/g;

const tagList: fc.Arbitrary<string[] | null> = fc.option(fc.array(hostileText, { maxLength: 3 }));

/** The sanitizer, and everything that carries its texts. */
export const sanitizer: readonly Property[] = [
  pure(
    'clean text is clean, stays as it is when cleaned again, and has no line break where one line was asked for',
    600,
    fc.property(hostileText, fc.constantFrom('line' as const, 'body' as const), (raw, shape) => {
      const clean = sanitize(raw, shape).toString();
      hold(!FORBIDDEN.test(clean), 'something hidden is left');
      hold(clean === clean.normalize('NFC') && clean.isWellFormed(), 'not in normal form');
      hold(sanitize(clean, shape).toString() === clean, 'cleaning it again changes it');
      hold(shape === 'body' || !/[\n\t]/.test(clean), 'a line has a break in it');
      hold(!FORBIDDEN.test(visible(raw, shape).toString()), 'something hidden is left in what a person sees');
      for (const finding of hiddenIn({ field: 'body', line: 1, raw }))
        hold(!finding.message.includes(raw) || raw === '', 'quoted');
    }),
  ),
  pure(
    'escaped text holds no markup, and a cut never falls into an entity',
    300,
    fc.property(hostileText, fc.nat(60), (raw, most) => {
      const escaped = escapeMarkup(truncate(sanitize(raw, 'body'), most)).toString();
      hold(!/[<>"']/.test(escaped), 'markup is left');
      hold(!escaped.replace(ENTITY, '').includes('&'), 'an entity is cut');
    }),
  ),
  pure(
    'no stored text ends its item, begins another or speaks as the frame',
    300,
    fc.property(hostileText, hostileText, tagList, (name, body, tags) => {
      const memory = memoryOf({
        id: 'user_x' as MemoryId,
        type: 'user',
        name,
        description: body,
        tags,
        project: name,
        body,
      });
      const facts = { id: 'user_x', tier: 'inferred', type: 'user', stale: false, held: true } as const;
      const lines = frame([{ facts, memory }], 'n0nce')
        .toString()
        .split(/\r\n|[\n\r\u0085\u2028\u2029]/);
      const own = lines.filter((line) => !line.startsWith('| '));
      hold(own.length === 4, `a stored line stands alone: ${own.length}`);
      hold(
        own.every((line) => /^<\/?memory(?:-context)? nonce="n0nce"/.test(line)),
        'a stored line poses as the frame',
      );
    }),
  ),
];

/** The query builder. */
export const queries: readonly Property[] = [
  pure(
    'a query means the same twice, is never an exception, and no operator is left in what the engine is asked',
    600,
    fc.property(query, (typed) => {
      const understood = parseQuery(typed);
      hold(JSON.stringify(understood) === JSON.stringify(parseQuery(typed)), 'it means two things');
      const asked = understood.units.flatMap(({ terms, keys, whole }) => [...terms, ...keys, whole ?? '']);
      hold(
        asked.every((term) => /^[\p{L}\p{N}\p{M}]*$/u.test(term)),
        'more than letters, digits and marks is left',
      );
    }),
  ),
];
