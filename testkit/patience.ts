/** As long as a test waits for what comes sooner or later. A test that fails by it has waited for nothing. */
export const PATIENCE_MS = 120_000;
