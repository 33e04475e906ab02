/** As long as a test waits for what comes sooner or later: at most two minutes, because a busy machine takes one. */
export const PATIENCE_MS = 120_000;

/**
 * For a test that acts within the five seconds in which an answer can be taken back: it is tried up to three times, because a
 * busy machine lets the seconds pass.
 */
export const WITHIN_FIVE_SECONDS = { retry: 2 } as const;
