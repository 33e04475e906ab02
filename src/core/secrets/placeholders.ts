/**
 * Words that only documentation writes in place of a secret. They are so long that no random token contains one by chance.
 */
const PLACEHOLDERS =
  /example|placeholder|passw(?:or)?d|redacted|changeme|insert|replace|removed|hidden|dummy|sample|secret|token|your|here|fake|goes|todo|[x*.…]{4,}|(.)\1{4,}/gi;

/** What else can stand in place of a value: a variable, a call, a template, our mask. */
const NOT_A_VALUE =
  /^(?:[<[{(%$]|\\?[<{]|process\.|os\.|env[.:_[]|ENV\[|getenv|secrets?\.|vars?\.|config\.|settings\.|self\.|this\.|args\.|request\.|req\.|vault:|op:\/\/|file:|https?:\/\/)|\(\)?|\$\{|\{\{|=>|::|->|\.\.\./i;

const ORDINARY = new Set(
  `admin administrator bar baz changeit default demo disabled empty enabled false foo guest hidden hunter letmein me
   missing mypass mypassword none null optional pass passwd password postgres private public pw pwd qwerty required root
   string strong test true undefined unset user username value wrong`.split(/\s+/),
);

/**
 * Whether a token can be a live secret. Without placeholder words and runs, it must still be nearly as long as its format
 * requires: `EXAMPLE` after a real token exempts nothing.
 */
export function mayBeLive(token: string, least: number): boolean {
  const rest = withoutCounting(token).replaceAll(PLACEHOLDERS, '');
  if (rest.length < least * 0.75) return false;
  return new Set(rest).size >= Math.min(8, Math.ceil(least / 3));
}

/** Whether a labelled value is a placeholder. */
export function isPlaceholder(value: string): boolean {
  const bare = value.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (bare === '' || NOT_A_VALUE.test(value) || ORDINARY.has(bare.replace(/[0-9]{1,4}$/, ''))) return true;
  return withoutCounting(value).replaceAll(PLACEHOLDERS, '').length < Math.min(6, value.length);
}

/** Removes runs of five and more such as `abcdef` and `123456`, which people type in invented tokens. */
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
 * The stretches of a text inside a `<redacted>` element that show an omission. A whole secret inside the element is still a
 * secret; otherwise the element would be a way to store one.
 */
export function redactions(text: string): readonly (readonly [start: number, end: number])[] {
  if (!/<redacted/i.test(text)) return [];
  return [...text.matchAll(REDACTED)]
    .filter(([, inside = '']) => /\.\.\.|…|example|^[\sx*•#-]*$/i.test(inside) && !mayBeLive(inside.trim(), 24))
    .map((match) => [match.index, match.index + match[0].length] as const);
}
