import { ORIGIN_KINDS } from '../../actions/history.ts';
import { MARKS } from '../../actions/report/list.ts';
import type { OverviewRow } from '../../actions/report/overview.ts';
import { TYPES } from '../../core/memory/limits.ts';
import { REVIEWED } from '../../core/trust/review-categories.ts';
import { TIERS } from '../../core/trust/tiers.ts';

/** The words that rows name by number, because ten thousand rows are sent at once. The page hands its script the same lists. */
export const ROW_WORDS = {
  tiers: TIERS,
  types: TYPES,
  categories: REVIEWED,
  marks: [...MARKS, 'unused'],
  origins: ORIGIN_KINDS,
} as const;

/** A row as the browser gets it. Numbers stand for words, -1 for none; marks are bits; `since` is in seconds. */
export type RowJson = readonly [
  key: string,
  id: string,
  tier: number,
  type: number,
  category: number,
  marks: number,
  origin: number,
  since: number,
  project: string,
  version: string,
];

/** Names one row. Two files can have one stem: a displaced text in quarantine, and the one in its place. */
export function keyOf({ place, stem }: Pick<OverviewRow, 'place' | 'stem'>): string {
  return place === 'memories' ? stem : `${place}/${stem}`;
}

export function rowJson(row: OverviewRow): RowJson {
  const { id, tier, type, category, marks, by, since, project, version } = row;
  return [
    keyOf(row),
    id,
    ROW_WORDS.tiers.indexOf(tier),
    ROW_WORDS.types.indexOf(type),
    category === null ? -1 : ROW_WORDS.categories.indexOf(category),
    ROW_WORDS.marks.reduce((bits, mark, i) => (marks.includes(mark) ? bits | (1 << i) : bits), 0),
    ROW_WORDS.origins.indexOf(by),
    since === null ? -1 : Math.floor(since / 1000),
    project?.toString() ?? '',
    version ?? '',
  ];
}
