/**
 * Why a yes without a passkey does not count. It names a new page, because one that was opened before a passkey was enrolled asks
 * for none, and the overview, because a review does not ask about everything.
 */
export const NEEDS_PASSKEY =
  'Here a yes counts only with a passkey. Answer on a page that surety open opens now, in a browser that has the passkey.';
