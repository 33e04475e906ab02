import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../src/core/checks/all.ts';
import { inspect } from '../../../src/core/checks/inspect.ts';
import { fileWith } from '../../../src/core/checks/sample-file.ts';
import type { Finding } from '../../../src/core/finding.ts';
import { idOfStem } from '../../../src/core/memory/ids.ts';
import { subjectOf } from '../../../src/core/memory/inspected-file.ts';
import { examine } from '../../../src/core/text/sanitize.ts';
import { read } from '../../../src/store/format/format.ts';
import { LEFT, PAYLOADS, type Payload } from '../../../testkit/payloads.ts';

const LINE = 'A line of text that stands before the one that matters.\n';

function findings(file: string): readonly Finding[] {
  return inspect(subjectOf('user_payload', read(Buffer.from(file)), 'found'), CHECKS).findings;
}

const suspicious = (found: readonly Finding[]) => found.filter(({ severity }) => severity !== 'info');

function treats({ payload, expect: { write } }: Payload): void {
  const cleaned = examine(payload, 'body').text;
  const found = suspicious(findings(fileWith({}, LINE + payload)));
  if (/^(?:strip|replace|cap)/.test(write) || write.includes('LF')) {
    expect(cleaned).not.toMatch(LEFT);
    expect(cleaned).not.toBe(payload);
  }
  if (/^keep(?:$|\+)/.test(write)) expect(cleaned).toBe(payload);
  if (write === 'keep') expect(found.filter((f) => f.class === 'hidden')).toEqual([]);
  if (write.includes('flag(strong)')) expect(found.map(({ severity }) => severity)).toContain('hold');
  else if (write.includes('flag')) expect(found).not.toEqual([]);
}

describe('each payload is treated as expected', () => {
  // A file is UTF-8, which has no lone surrogates.
  const bodies = PAYLOADS.filter(({ field, class: kind }) => field === 'body' && kind !== 'surrogate');
  test.each(bodies.map((each) => [each.class, each.id, each.expect.write, each] as const))(
    'in a body: %s %s: %s',
    (_class, _id, _write, each) => treats(each),
  );

  const ids = PAYLOADS.filter(({ field, id }) => field === 'id' && id !== 'case-collision');
  test.each(ids.map((each) => [each.payload.slice(0, 40), each.payload] as const))('as an id: %j', (_, id) => {
    expect(idOfStem(id)).toBeUndefined();
  });

  const files = PAYLOADS.filter(({ class: kind, expect: { write } }) => kind === 'frontmatter' && write === 'reject');
  test.each(files.map((each) => [each.id, each.payload] as const))('as a file: %s', (_, file) => {
    expect(findings(file).map(({ severity }) => severity)).toContain('block');
  });

  const yaml = PAYLOADS.filter(({ field, expect: { write } }) => field === 'yaml' && write.startsWith('reject'));
  test.each(yaml.map((each) => [each.id, each.payload] as const))('as frontmatter: %s', (_, lines) => {
    const file = fileWith({}).replace('---\n', `---\n${lines}\n`);
    expect(findings(file).some(({ severity }) => severity !== 'info')).toBe(true);
  });
});
