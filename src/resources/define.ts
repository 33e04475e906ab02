import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { bugDetails } from '../core/bug-details.ts';
import { Refusal } from '../core/refusal.ts';
import { asSystemRefusal } from '../core/system-errors.ts';
import { SafeText, sanitize } from '../core/text/safe-text.ts';

/** JSON in which every string is SafeText. A raw string fails to compile, and throws when serialized. */
export type SafeJson = SafeText | number | boolean | null | readonly SafeJson[] | { readonly [key: string]: SafeJson };

/** One entry of resources/list. It holds facts of the server only, because clients show a list without any frame. */
interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly lastModified: string;
}

/** Something a client can read. `uri` may end in one {variable}. */
export interface Resource<Context> {
  readonly name: string;
  readonly uri: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/plain';
  /** The content now. It depends on the store and the nonce only, so two contents with one nonce can be compared. */
  readonly read: (context: Context, asked: { readonly variable: string; readonly nonce: string }) => Promise<SafeJson>;
  /** The few values of the variable that are worth listing. */
  readonly list?: (context: Context) => Promise<readonly ListedResource[]>;
  /** Values of the variable that begin with `beginning`. */
  readonly complete?: (context: Context, beginning: string) => Promise<readonly string[]>;
}

/** The caller chooses the nonce, so that it can compare contents. */
export async function contentOf<Context>(
  resource: Resource<Context>,
  context: Context,
  uri: string,
  nonce: string,
): Promise<string> {
  const shown = await resource.read(context, { variable: variableIn(resource, uri) ?? '', nonce });
  return shown instanceof SafeText ? shown.toString() : json(shown);
}

export function resourceFor<Context>(
  resources: readonly Resource<Context>[],
  uri: string,
): Resource<Context> | undefined {
  return resources.find((resource) => variableIn(resource, uri) !== undefined);
}

export function registerResource<Context>(
  server: McpServer,
  resource: Resource<Context>,
  context: Context,
  makeNonce: () => string,
): void {
  const { name, uri, title, description, mimeType, list, complete } = resource;
  const config = { title, description, mimeType };
  const read = async ({ href }: URL) => {
    try {
      return { contents: [{ uri: href, mimeType, text: await contentOf(resource, context, href, makeNonce()) }] };
    } catch (thrown) {
      throw explain(resource, thrown);
    }
  };
  const variable = /\{(\w+)\}$/.exec(uri)?.[1];
  if (variable === undefined) {
    server.registerResource(name, uri, config, read);
    return;
  }
  const template = new ResourceTemplate(uri, {
    list: list && (async () => ({ resources: (await listed(resource, () => list(context))).map(entry) })),
    ...(complete && {
      complete: { [variable]: async (beginning) => [...(await listed(resource, () => complete(context, beginning)))] },
    }),
  });
  server.registerResource(name, template, config, read);
}

/** A store that cannot be opened must not break the whole list; reading the resource says what is wrong. */
async function listed<Item>(resource: Named, work: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await work();
  } catch (thrown) {
    explain(resource, thrown);
    return [];
  }
}

function entry({ uri, name, description, lastModified }: ListedResource) {
  return { uri, name, title: name, description, annotations: { lastModified } };
}

/**
 * The whole JSON is sanitized, because texts that are safe alone may not be safe side by side. `<`, `>` and `&` are escaped
 * last, as JSON escapes: a parser sees the original text, and pasted JSON contains no markup.
 */
function json(shown: SafeJson): string {
  const clean = sanitize(JSON.stringify(shown), 'body').toString();
  return clean.replace(/[<>&]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The variable's value in this URI, '' if the form has no variable; undefined if the URI is another resource's. */
function variableIn({ uri: form }: { readonly uri: string }, uri: string): string | undefined {
  const opening = form.indexOf('{');
  if (opening === -1) return uri === form ? '' : undefined;
  const rest = uri.startsWith(form.slice(0, opening)) ? uri.slice(opening) : '';
  return rest === '' || rest.includes('/') ? undefined : rest;
}

type Named = Pick<Resource<never>, 'name' | 'uri'>;

/**
 * A failure in our own words. `reason` marks it: the server replaces every message without a reason, because the SDK's
 * messages quote the request. The address is the resource's form, because the requested address can hold a secret.
 */
export function refused({ code, message }: Refusal, form: string): ProtocolError {
  return code === 'no-such-memory'
    ? new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: form, reason: code })
    : new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, { reason: code });
}

function explain({ name, uri }: Named, thrown: unknown): ProtocolError {
  const refusal = asSystemRefusal(thrown);
  if (refusal instanceof Refusal) return refused(refusal, uri);
  process.stderr.write(`surety: the resource ${name} failed: ${bugDetails(thrown)}\n`);
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    'Surety failed at this; the operator finds the reason in the server’s log.',
    { reason: 'bug' },
  );
}
