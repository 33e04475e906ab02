import { existsSync } from 'node:fs';

/**
 * Chromium without windows, where it is installed: the same engine takes a third of the CPU time for a tab, because no window with
 * its bars is made for it.
 */
const WITHOUT_WINDOWS = '/usr/bin/chromium-headless-shell';

/** The browser that tests, pictures, tries of clients and benchmarks start. */
export const CHROMIUM = process.env.CHROMIUM ?? (existsSync(WITHOUT_WINDOWS) ? WITHOUT_WINDOWS : '/usr/bin/chromium');
