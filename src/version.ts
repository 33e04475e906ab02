/** A test keeps it equal to package.json; importing that file would put all of it into the bundle. */
export const VERSION = '0.1.0';

/** The trust model this build implements, with the deviations below. */
export const TRUST_MODEL = '1.0.0';

/** The validation rules this build implements. */
export const VALIDATION_RULES = '1.0.1';

/** Where this build differs from trust model 1.0.0. Each but the last three only lowers trust. */
export const DEVIATIONS: readonly string[] = [
  'a hand-saved or dictated text is not verified until it is confirmed here',
  'held inferred memories are not auto-loaded',
  'context has a budget',
  'project backfill asks',
  'e-mail addresses, private IPs and home paths (rules S1, S7, S8) are class personal: a warning on proposals and found files, exit 1 in surety check, and they stop a push; documentation values are exempt',
  'bodies have from 3 characters on',
  'what a person dictated is confirmed by adopt, in place',
];
