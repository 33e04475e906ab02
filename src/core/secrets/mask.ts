/** Replaces a secret. No rule matches it, so masking twice changes nothing. */
export const MASK = '[possible secret hidden]';
