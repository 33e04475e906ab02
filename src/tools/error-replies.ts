import { type JSONRPCMessage, type McpServer, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { REFUSALS } from '../core/refusal.ts';

/** Our sentences, in place of the SDK's. */
const SENTENCES: Readonly<Record<number, string>> = {
  [ProtocolErrorCode.ParseError]: 'Parse error: the message is not JSON.',
  [ProtocolErrorCode.InvalidRequest]: 'Invalid request: this is no message of the protocol, or not at this time.',
  [ProtocolErrorCode.MethodNotFound]: 'Method not found: this server has no such method.',
  [ProtocolErrorCode.InvalidParams]:
    'Invalid params: there is no such tool, prompt, resource or completion here, or what was sent with it does not fit. ' +
    'tools/list, prompts/list, resources/list and resources/templates/list name what there is.',
  [ProtocolErrorCode.InternalError]: 'Internal error: the server could not answer this.',
  [ProtocolErrorCode.UnsupportedProtocolVersion]: 'Unsupported protocol version: use one of those in data.supported.',
  [ProtocolErrorCode.MissingRequiredClientCapability]:
    'Missing required client capability: data.requiredCapabilities names it.',
};
/** Sentences for errors that the SDK marks with a reason. */
const BY_REASON: Readonly<Record<string, string>> = {
  invalid_request_state:
    'Invalid params: the answer belongs to no question of this server, which may have been started again since. ' +
    'Nothing was changed. Call the tool again, without state, to have the person asked.',
};
const OTHER = 'The server could not answer this.';

/** Reasons that mark our own errors, and reasons by which clients recognize some errors of the SDK. */
const OURS = new Set([...Object.keys(REFUSALS), 'bug']);
const REASONS = new Set([...OURS, 'invalid_uri', 'invalid_request_state']);
const REVISION = /^\d{4}-\d\d-\d\d$/;

/**
 * Removes everything from an error that the request contained. The SDK's sentences quote names and addresses, which can hold
 * a secret, and errors go to the model and into logs. Errors with a reason are our own and stay.
 */
export function plainError<Message extends JSONRPCMessage>(message: Message): Message {
  if (!('error' in message)) return message;
  const { code, message: said, data } = message.error;
  // A tool of ours made this one; it quotes nothing of the request.
  if (code === ProtocolErrorCode.UrlElicitationRequired) return message;
  const { uri, ...facts } = factsIn(data);
  const isOurs = facts.reason !== undefined && OURS.has(facts.reason);
  const kept = { ...(isOurs && uri !== undefined && { uri }), ...facts };
  const sentence = isOurs ? said : (BY_REASON[facts.reason ?? ''] ?? SENTENCES[code] ?? OTHER);
  return {
    ...message,
    error: { code, message: sentence, ...(Object.keys(kept).length > 0 && { data: kept }) },
  };
}

type Asking = (asked: { method: string }, ...options: { signal?: AbortSignal }[]) => Promise<unknown>;

/**
 * Takes a question to the person that failed as cancelled, so that the tool queues the request. It fails where a client of the
 * handshake era answers with an error or not in time; the SDK would end the call and put the client's words into its result.
 */
export function cancelFailedQuestions({ server }: McpServer): void {
  const request = server.request.bind(server) as Asking;
  const asking: Asking = async (asked, ...options) => {
    try {
      return await request(asked, ...options);
    } catch (error) {
      if (asked.method !== 'elicitation/create' || options[0]?.signal?.aborted) throw error;
      return { action: 'cancel' };
    }
  };
  server.request = asking as typeof server.request;
}

interface ErrorFacts {
  readonly uri?: string;
  readonly reason?: string;
  readonly supported?: readonly string[];
  readonly requested?: string;
  readonly requiredCapabilities?: object;
}

/** Keeps only the facts that the server knew without the request. */
function factsIn(data: unknown): ErrorFacts {
  if (typeof data !== 'object' || data === null) return {};
  const { uri, reason, supported, requested, requiredCapabilities } = data as Record<string, unknown>;
  return {
    ...(typeof uri === 'string' && { uri }),
    ...(typeof reason === 'string' && REASONS.has(reason) && { reason }),
    ...(Array.isArray(supported) && { supported }),
    ...(typeof requested === 'string' && { requested: REVISION.test(requested) ? requested : 'unknown' }),
    ...(typeof requiredCapabilities === 'object' && requiredCapabilities !== null && { requiredCapabilities }),
  };
}
