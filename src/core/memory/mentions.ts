/** Something of a repository that a text names in backticks, without declaring it as an anchor. */
export type Mention =
  | { readonly kind: 'path'; readonly name: string }
  | { readonly kind: 'script'; readonly name: string; readonly script: string }
  | { readonly kind: 'target'; readonly name: string; readonly target: string }
  | { readonly kind: 'variable'; readonly name: string };

const SPAN = /`([^`\n]{2,200})`/g;
/** A path with a folder, or a file with an ending that programs have. Patterns, placeholders and addresses do not match. */
const PATH =
  /^(?:\.\/)?((?:[\w@+.-]+\/)+[\w@+.-]*|[\w-][\w.-]*\.(?:ts|tsx|js|mjs|cjs|json|md|ya?ml|toml|py|go|rs|rb|java|kt|swift|sh|sql|css|html))$/;
const SCRIPT = /^(?:npm|pnpm|yarn|bun) run ([\w:.-]+)(?: |$)/;
const TARGET = /^make ([\w.-]+)(?: |$)/;
const VARIABLE = /^\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=\S*)?$/;
/** Folders that are made, and not tracked. */
const MADE = /^(?:node_modules|dist|build|out|target|tmp|coverage|vendor|\.git|\.cache|\.venv)(?:\/|$)/;
/** At most 20 of a text. */
const MOST = 20;

/** What a body names in backticks: paths, scripts, targets of make, and environment variables. */
export function mentionsIn(body: string): Mention[] {
  const found = new Map<string, Mention>();
  for (const [, span = ''] of body.matchAll(SPAN)) {
    const mention = mentionOf(span.trim());
    if (mention !== undefined && found.size < MOST) found.set(mention.name, mention);
  }
  return [...found.values()];
}

function mentionOf(span: string): Mention | undefined {
  const script = SCRIPT.exec(span)?.[1];
  if (script !== undefined) return { kind: 'script', name: span, script };
  const target = TARGET.exec(span)?.[1];
  if (target !== undefined) return { kind: 'target', name: span, target };
  const variable = VARIABLE.exec(span)?.[1];
  if (variable !== undefined) return { kind: 'variable', name: variable };
  const path = PATH.exec(span)?.[1]?.replace(/\/$/, '');
  return path === undefined || MADE.test(path) ? undefined : { kind: 'path', name: path };
}
