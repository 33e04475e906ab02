import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { Refusal } from '../core/refusal.ts';
import { SafeText, sanitize } from '../core/text/safe-text.ts';
import { asDiskRefusal } from '../store/disk/disk-errors.ts';

/** JSON in which every string is SafeText: a raw one does not type-check and throws when it is written out. */
export type Shown = SafeText | number | boolean | null | readonly Shown[] | { readonly [key: string]: Shown };

/** One entry of resources/list. Only facts of the server's own: a list is shown outside any frame. */
export interface Listed {
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
  /** Written for a model. */
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/plain';
  /** What it says now. The nonce is the only thing in it that is not the store's: two readings with one nonce can be compared. */
  readonly read: (context: Context, asked: { readonly variable: string; readonly nonce: string }) => Promise<Shown>;
  /** The few worth listing, of all that the variable can stand for. */
  readonly list?: (context: Context) => Promise<readonly Listed[]>;
  /** What the variable can stand for, by its beginning. */
  readonly complete?: (context: Context, beginning: string) => Promise<readonly string[]>;
}

/** The nonce is the caller's, so that one content can be had twice. */
export async function contentOf<Context>(
  resource: Resource<Context>,
  context: Context,
  uri: string,
  nonce: string,
): Promise<string> {
  const shown = await resource.read(context, { variable: variableIn(resource, uri) ?? '', nonce });
  return shown instanceof SafeText ? shown.toString() : json(shown);
}

/** Which of the resources a URI names. */
export function resourceFor<Context>(
  resources: readonly Resource<Context>[],
  uri: string,
): Resource<Context> | undefined {
  return resources.find((resource) => variableIn(resource, uri) !== undefined);
}

/** Puts a resource on a server. */
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

/** A store that cannot be opened must not take the rest of the list with it; reading says what is wrong. */
async function listed<Item>(resource: Named, work: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
  try {
    return await work();
  } catch (thrown) {
    explain(resource, thrown);
    return [];
  }
}

function entry({ uri, name, description, lastModified }: Listed) {
  return { uri, name, title: name, description, annotations: { lastModified } };
}

/**
 * Cleaned as a whole, because texts that are safe alone need not be side by side. `<`, `>` and `&` are escaped last:
 * the escape is JSON's own, so a parser sees the text as it is, and whoever pastes it unparsed sees no markup.
 */
function json(shown: Shown): string {
  const clean = sanitize(JSON.stringify(shown), 'body').toString();
  return clean.replace(/[<>&]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What the URI puts in the variable's place, '' where there is none; undefined when the URI is another resource's. */
function variableIn({ uri: form }: { readonly uri: string }, uri: string): string | undefined {
  const opening = form.indexOf('{');
  if (opening === -1) return uri === form ? '' : undefined;
  const rest = uri.startsWith(form.slice(0, opening)) ? uri.slice(opening) : '';
  return rest === '' || rest.includes('/') ? undefined : rest;
}

type Named = Pick<Resource<never>, 'name' | 'uri'>;

/**
 * A failure in a sentence of ours. The reason says that it is: the server replaces every message without one, since the
 * SDK's quote what was sent. The address is the resource's own form, because the one that was asked for can hold a secret.
 */
export function refused({ code, message }: Refusal, form: string): ProtocolError {
  return code === 'no-such-memory'
    ? new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: form, reason: code })
    : new ProtocolError(ProtocolErrorCode.InternalError, `${code}: ${message}`, { reason: code });
}

function explain({ name, uri }: Named, thrown: unknown): ProtocolError {
  const refusal = asDiskRefusal(thrown);
  if (refusal instanceof Refusal) return refused(refusal, uri);
  const details = thrown instanceof Error ? (thrown.stack ?? thrown.message) : typeof thrown;
  process.stderr.write(`surety: the resource ${name} failed: ${details}\n`);
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    'Surety failed at this; the operator finds the reason in the server’s log.',
    { reason: 'bug' },
  );
}
