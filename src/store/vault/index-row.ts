import type { Memory } from '../../core/memory/memory.ts';
import { sanitize, type Untrusted } from '../../core/text/safe-text.ts';
import type { Readings } from '../index/parse-cache.ts';
import type { Row, Searchable } from '../index/rows.ts';
import type { Loaded } from './loaded-memory.ts';

/** What the index keeps of a file. Of what is not served it keeps no text. */
export function rowOf(loaded: Loaded, rules: string, readings: Readings): Row {
  const { place, stem, bytes, stamp, id, digest, saying, subject, shown, standing, withheld } = loaded;
  const found = shown !== undefined && !withheld && standing.tier !== 'quarantined';
  return {
    place,
    stem,
    stamp,
    id,
    digest,
    saying,
    claim: subject.claims.tier ?? null,
    rules,
    reading: found ? readings.seal(stem, bytes, loaded) : null,
    text: found ? searchable(shown) : null,
  };
}

function searchable({ type, name, description, tags, project, body }: Memory): Searchable {
  const line = (text: Untrusted) => sanitize(text, 'line').toString();
  const where = project === null ? null : line(project);
  return {
    type,
    project: where,
    name: line(name),
    about: [line(description), ...(tags ?? []).map(line), ...(where === null ? [] : [where])].join(' '),
    body: sanitize(body, 'body').toString(),
  };
}
