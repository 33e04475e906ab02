import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseWordings } from '../../src/core/search/wordings.ts';
import { Disk } from '../../src/store/disk/disk.ts';
import type { IndexRow } from '../../src/store/index/rows.ts';
import { SearchIndex } from '../../src/store/index/search-index.ts';
import { named, type Sample } from './samples.ts';

/** How many harmless memories are among the five best in a store that takes everything and has no tiers. */
export function foundUnfiltered(samples: readonly Sample[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'surety-poison-'));
  try {
    const index = new SearchIndex(folder, '', new Disk());
    const truths = [...new Set(samples.map((sample) => sample.true).filter((text) => text !== null))];
    const stored = [
      ...samples.map((sample) => [sample.id, sample, sample.text] as const),
      ...truths.map((text, at) => [`true ${at}`, samples[0], text] as const),
    ];
    index.put(stored.map(([id, sample, text], at) => rowOf(id, named(sample as Sample, text, at).name, text)));
    const found = samples.filter(({ kind, id, question }) => {
      if (kind !== 'benign') return false;
      const best = index.find(parseWordings([question]), 5).slice(0, 5);
      return best.some(({ rowid }) => index.at(rowid)?.stem === id);
    });
    index.close();
    return found.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(id: string, name: string, text: string): IndexRow {
  return {
    place: 'memories',
    stem: id,
    stamp: { inode: 0n, size: 0, modified: 0n } as IndexRow['stamp'],
    id,
    claim: null,
    digest: null,
    saying: null,
    rules: '',
    blocked: null,
    held: null,
    anchored: 0,
    seal: null,
    reading: null,
    text: { type: 'user', project: null, name, about: text.slice(0, 200), body: text, hints: [] },
  };
}
