import type { Inspection } from '../../core/checks/inspect.ts';
import { inWords } from '../../core/finding.ts';
import { hasFindingsInHints, hintsIn } from '../../core/memory/hints.ts';
import { type Memory, shortSayingOf } from '../../core/memory/memory.ts';
import { projectIn } from '../../core/memory/project.ts';
import { sanitize, type Untrusted } from '../../core/text/safe-text.ts';
import type { ParseCache } from '../index/parse-cache.ts';
import type { IndexedFacts, IndexRow, Searchable } from '../index/rows.ts';
import { onRecord } from './ledger-entries.ts';
import type { Loaded } from './loaded-memory.ts';

/** The index row of a file. It holds no text of a memory that is not served, and no hash of a certain secret. */
export function rowOf(loaded: Loaded, rules: string, parseCache: ParseCache): IndexRow {
  const { place, stem, bytes, stamp, id, subject, memory, shown, standing, withheld, inspection } = loaded;
  const found = shown !== undefined && !withheld && standing.tier !== 'quarantined';
  const { digest, saying } = onRecord(loaded);
  const facts: IndexedFacts = {
    place,
    stem,
    stamp,
    id,
    digest,
    saying,
    claim: subject.claims.tier ?? null,
    // Empty rules make the next scan read the file again, because a check could not finish on it.
    rules: withheld && inspection.crashed.length > 0 ? '' : rules,
    blocked: whyBlocked(inspection),
    held: whyHeld(inspection),
    anchored: subject.memory?.anchors ? 1 : 0,
  };
  return {
    ...facts,
    seal: parseCache.sealOfRow(facts),
    reading: parseCache.seal(stem, bytes, loaded, found),
    shortQuarantined: place === 'quarantine' && saying !== null && memory ? shortSayingOf(memory) : null,
    text: found ? { ...searchable(shown), hints: searchableHints(loaded) } : null,
  };
}

/** What blocks a file, in the checks' own words for the operator; null if nothing does. */
export function whyBlocked({ findings }: Inspection): string | null {
  const said = findings.flatMap((each) => (each.severity === 'block' ? inWords(each) : []));
  return said.length === 0 ? null : [...new Set(said)].join('; ');
}

/** The rules that hold a text back until a person has settled them; null where none does. */
export function whyHeld({ findings }: Inspection): string | null {
  const holds = findings.filter((f) => f.severity === 'hold').map((f) => f.rule);
  return holds.length === 0 ? null : [...new Set(holds)].join(', ');
}

/** Hints that a check objects to are not searched, because one may be, or hide, a secret. */
function searchableHints({ subject, inspection }: Loaded): readonly string[] {
  return hasFindingsInHints(inspection.findings) ? [] : hintsIn(subject.document);
}

function searchable({ type, name, description, tags, project, body }: Memory): Searchable {
  const line = (text: Untrusted) => sanitize(text, 'line').toString();
  return {
    type,
    project: projectIn({ project }),
    name: line(name),
    about: [line(description), ...(tags ?? []).map(line), ...(project === null ? [] : [line(project)])].join(' '),
    body: sanitize(body, 'body').toString(),
  };
}
