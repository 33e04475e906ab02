import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { bugDetails } from '../core/bug-details.ts';
import { lazily } from '../core/lazily.ts';
import { Refusal, type RefusalCode } from '../core/refusal.ts';
import { asSystemRefusal } from '../core/system-errors.ts';
import { SafeText, sanitize, truncate } from '../core/text/safe-text.ts';
import type { Client } from '../store/records/audit-log.ts';
import { sdkSchemasOf } from './json-schemas.ts';
import { describeIssues, takeArguments } from './take-arguments.ts';

/** What a call can do to the store. The hints for clients are derived from it. */
type Risk = 'reads' | 'proposes' | 'decides';

const ANNOTATIONS: Record<Risk, ToolAnnotations> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  // Proposing a text twice returns the existing memory.
  proposes: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  // Every call asks a person again, so a repeated call has an effect.
  decides: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

/** The caller, and the SDK's view of the request: cancellation, the person's answers and the returned state. */
export interface Call {
  readonly client: Client | undefined;
  readonly capabilities: ClientCapabilities | undefined;
  readonly request: ServerContext['mcpReq'];
}

/** A reply in which every open string is SafeText. Closed ones, such as a tier, are our own words already. */
type Safe<T> = T extends string
  ? string extends T
    ? SafeText
    : T
  : T extends readonly (infer Item)[]
    ? readonly Safe<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Safe<T[Key]> }
      : T;

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject, Context>
  extends Omit<Tool<Context>, 'answer'> {
  readonly input: Input;
  readonly output: Output;
  /** Returns what `output` describes, with sanitized text, or asks the person by returning `inputRequired(...)`. */
  readonly handle: (
    input: z.output<Input>,
    context: Context,
    call: Call,
  ) => Promise<Safe<z.input<Output>> | InputRequiredResult>;
}

/** A context that records calls with invalid arguments. */
export interface InvalidCallRecorder {
  onInvalid(tool: string, call: Call): Promise<void>;
}

/** A tool as the server sees it, without its schemas' types. */
export interface Tool<Context> {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  readonly risk: Risk;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly meta?: Record<string, unknown>;
  readonly answer: (sent: unknown, context: Context, call: Call) => Promise<CallToolResult | InputRequiredResult>;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject, Context>(
  definition: ToolDefinition<Input, Output, Context>,
): Tool<Context> {
  const { handle, ...rest } = definition;
  return {
    ...rest,
    // Every tool reports ignored arguments in this field.
    output: definition.output.extend({ ignored: z.string().optional() }),
    async answer(sent, context, call) {
      const { taken, ignored } = takeArguments(sent, definition.input);
      try {
        const parsed = definition.input.safeParse(taken);
        if (!parsed.success) {
          if (definition.risk !== 'reads')
            await (context as Partial<InvalidCallRecorder>).onInvalid?.(definition.name, call);
          throw new Refusal('invalid-input', describeIssues(parsed.error.issues, taken));
        }
        const made = await handle(parsed.data, context, call);
        if (isInputRequiredResult(made)) return made;
        // Parsing drops fields that the schema does not describe.
        const answered = definition.output.parse(toPlainValues(made));
        return reply(answered, ignored);
      } catch (thrown) {
        return failed(definition.name, thrown, ignored);
      }
    },
  };
}

/** Turns a reply into plain values and SafeText into strings. Any other object, such as Untrusted, is a bug. */
function toPlainValues(made: unknown): unknown {
  if (made instanceof SafeText) return made.toString();
  if (typeof made !== 'object' || made === null) return made;
  if (Array.isArray(made)) return made.map(toPlainValues);
  if (Object.getPrototypeOf(made) !== Object.prototype)
    throw new TypeError('A reply holds only plain values and SafeText.');
  return Object.fromEntries(Object.entries(made).map(([key, value]) => [key, toPlainValues(value)]));
}

/**
 * The text is the JSON of the structured result, because clients show a model one, the other or both. A failed call names
 * what was ignored too: a model that is refused would otherwise try the same wish again.
 */
function reply(made: Record<string, unknown>, ignored: SafeText | undefined): CallToolResult {
  const structuredContent = ignored === undefined ? made : { ...made, ignored: ignored.toString() };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function failed(tool: string, thrown: unknown, ignored?: SafeText): CallToolResult {
  const { code, sentence, retry = false } = errorIn(tool, thrown);
  return { ...reply({ error: { code, sentence, ...(retry && { retry }) } }, ignored), isError: true };
}

interface CallError {
  readonly code: RefusalCode | 'bug';
  readonly sentence: string;
  readonly retry?: boolean;
}

function errorIn(tool: string, thrown: unknown): CallError {
  const refusal = asSystemRefusal(thrown);
  if (refusal instanceof Refusal) return { code: refusal.code, sentence: refusal.message, retry: refusal.retryable };
  process.stderr.write(`surety: ${tool} failed: ${bugDetails(thrown)}\n`);
  return { code: 'bug', sentence: FAILED };
}

const FAILED = 'Surety failed at this call; the operator finds the reason in the server’s log.';

export function register<Context>(server: McpServer, tool: Tool<Context>, context: Context): void {
  const { input, output } = sdkSchemasOf(tool);
  server.registerTool(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      annotations: { title: tool.title, ...ANNOTATIONS[tool.risk] },
      inputSchema: input,
      outputSchema: output,
      ...(tool.meta && { _meta: tool.meta }),
    },
    async (sent: unknown, { mcpReq }) => {
      try {
        (await pauses()).noteCall();
        return await tool.answer(sent, context, await callOf(server, mcpReq));
      } catch (thrown) {
        // Otherwise the SDK would answer with the error's own words.
        return failed(tool.name, thrown);
      }
    },
  );
}

/** The keys of the 2026-07-28 envelope, as the SDK has checked them. The SDK's published type lacks them. */
interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** In the handshake eras the client names itself once; since 2026-07-28 every request does. */
async function callOf(server: McpServer, request: ServerContext['mcpReq']): Promise<Call> {
  const envelope: Envelope = request.envelope ?? {};
  return {
    request,
    client: await cleanClientInfo(envelope[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()),
    capabilities: envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities(),
  };
}

const secrets = lazily(() => import('../core/secrets/detect.ts'));
/** Loaded by the first call, because a server starts without anything of the store. */
const pauses = lazily(() => import('../store/reconcile/pauses-for-calls.ts'));

/** What a client said once counts for all its calls, so it is cleaned once. */
const cleaned = new WeakMap<Implementation, Client>();

/** The client's name and version go into records, so they are shortened, sanitized and masked. */
async function cleanClientInfo(said: Implementation | undefined): Promise<Call['client']> {
  if (said === undefined) return undefined;
  const known = cleaned.get(said);
  if (known !== undefined) return known;
  const { maskSecrets } = await secrets();
  const short = (part: unknown) => truncate(sanitize(maskSecrets(String(part).slice(0, 500)), 'line'), 100).toString();
  const client = { name: short(said.name), version: short(said.version) };
  cleaned.set(said, client);
  return client;
}
