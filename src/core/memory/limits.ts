export const TYPES = ['user', 'feedback', 'project', 'reference'] as const;
export type MemoryType = (typeof TYPES)[number];

/** Limits, in code points after NFC. */
export const LIMITS = {
  name: { min: 2, max: 100 },
  description: { min: 1, max: 256 },
  tags: { count: 12, min: 1, max: 40 },
  project: { min: 1, max: 100 },
  body: { min: 3, max: 5000 },
  anchors: { count: 8, path: 256, text: 120 },
  askedAs: { count: 5, min: 3, max: 120 },
  reason: { max: 300 },
} as const;

/** At most 400 UTF-16 units of a search, because a longer text is pasted, and finds no better. */
export const LONGEST_QUERY = 400;
