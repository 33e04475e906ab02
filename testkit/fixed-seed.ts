import fc from 'fast-check';

/**
 * Property tests draw the same cases at every run, so a failure belongs to the change that is tested and can be repeated.
 * `FAST_CHECK_SEED=$RANDOM npm test` draws others; `npm run fuzz` always does.
 */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });
