/** What stands where a secret stood. No rule matches it, so masking twice changes nothing. */
export const MASK = '[possible secret hidden]';
