import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { Refusal } from '../core/refusal.ts';
import type { SafeText } from '../core/text/safe-text.ts';

/** Words that a person can send to the model by name. */
export interface Prompt<Arguments extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Arguments;
  /** The nonce is new for each reply, so text from outside cannot contain it. */
  readonly say: (input: z.output<Arguments>, nonce: string) => SafeText | Promise<SafeText>;
}

/** Checks the argument's type against `say`, and drops the type for the list. */
export function definePrompt<Arguments extends z.ZodObject>(prompt: Prompt<Arguments>): Prompt {
  const { input, say } = prompt;
  return { ...prompt, say: (sent, nonce) => say(input.parse(sent), nonce) };
}

export function registerPrompt(server: McpServer, prompt: Prompt, makeNonce: () => string): void {
  const { name, title, description, input, say } = prompt;
  const message = async (sent: Record<string, unknown>) => {
    const said = await Promise.resolve(say(sent, makeNonce())).catch(refused);
    return {
      description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: said.toString() } }],
    };
  };
  // With an argument schema, some clients ask the person for arguments even if there are none.
  if (Object.keys(input.shape).length === 0) server.registerPrompt(name, { title, description }, () => message({}));
  else server.registerPrompt(name, { title, description, argsSchema: input }, message);
}

function refused(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { reason: error.code });
}
