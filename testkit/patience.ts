/** As long as a test waits for what comes sooner or later. A test that fails by it has waited for nothing. */
export const PATIENCE_MS = 120_000;

/**
 * For a test that acts within the five seconds in which an answer can be taken back. A busy machine lets them pass; a fault fails
 * three times.
 */
export const WITHIN_FIVE_SECONDS = { retry: 2 } as const;
