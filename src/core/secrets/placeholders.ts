/** What only documentation writes where a secret would stand. Long enough that no random token holds one by chance. */
const STAND_INS =
  /example|placeholder|passw(?:or)?d|redacted|changeme|insert|replace|removed|hidden|dummy|sample|secret|token|your|here|fake|goes|todo|[x*.…]{4,}|(.)\1{4,}/gi;

/** What else may stand in the place of a value: a variable, a call, a template, a marker of ours. */
const NOT_A_VALUE =
  /^(?:[<[{(%$]|\\?[<{]|process\.|os\.|env[.:_[]|ENV\[|getenv|secrets?\.|vars?\.|config\.|settings\.|self\.|this\.|args\.|request\.|req\.|vault:|op:\/\/|file:|https?:\/\/)|\(\)?|\$\{|\{\{|=>|::|->|\.\.\./i;

const ORDINARY = new Set(
  `admin administrator bar baz changeit default demo disabled empty enabled false foo guest hidden hunter letmein me
   missing mypass mypassword none null optional pass passwd password postgres private public pw pwd qwerty required root
   string strong test true undefined unset user username value wrong`.split(/\s+/),
);

/**
 * Whether a token can be a live secret. What it says beside the words and runs that only placeholders have must be
 * nearly as long as its format asks for: `EXAMPLE` written behind a real token exempts nothing.
 */
export function mayBeLive(token: string, least: number): boolean {
  const rest = withoutCounting(token).replaceAll(STAND_INS, '');
  if (rest.length < least * 0.75) return false;
  return new Set(rest).size >= Math.min(8, Math.ceil(least / 3));
}

/** Whether a value beside a label is one of the things people write instead of the secret. */
export function isStandIn(value: string): boolean {
  const bare = value.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (bare === '' || NOT_A_VALUE.test(value) || ORDINARY.has(bare.replace(/[0-9]{1,4}$/, ''))) return true;
  return withoutCounting(value).replaceAll(STAND_INS, '').length < Math.min(6, value.length);
}

/** `abcdef` and `123456` are how people type a made-up token; runs of five and more are taken out. */
function withoutCounting(token: string): string {
  let kept = '';
  let start = 0;
  for (let i = 1; i <= token.length; i++) {
    if (i < token.length && token.charCodeAt(i) === token.charCodeAt(i - 1) + 1) continue;
    if (i - start < 5) kept += token.slice(start, i);
    start = i;
  }
  return kept;
}

const REDACTED = /<redacted\b[^<>]{0,80}>([^<>]{0,400})<\/redacted\s{0,4}>/gi;

/**
 * The stretches of a text that stand in a `<redacted>` element and say of themselves that something was left out. A
 * whole secret inside the element is still a secret: else the element would be a way to store one.
 */
export function redactions(text: string): readonly (readonly [start: number, end: number])[] {
  if (!/<redacted/i.test(text)) return [];
  return [...text.matchAll(REDACTED)]
    .filter(([, inside = '']) => /\.\.\.|…|example|^[\sx*•#-]*$/i.test(inside) && !mayBeLive(inside.trim(), 24))
    .map((match) => [match.index, match.index + match[0].length] as const);
}
