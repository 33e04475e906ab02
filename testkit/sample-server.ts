// A server with tools that only tests need: it shows what define.ts and server.ts do with every kind of ending.
import { inputRequired } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { lazily } from '../src/core/lazily.ts';
import { Refusal } from '../src/core/refusal.ts';
import { sanitize, Untrusted } from '../src/core/text/safe-text.ts';
import { serveTools } from '../src/server.ts';
import { defineTool } from '../src/tools/define.ts';

interface SampleContext {
  vault(): Promise<{ opened: number }>;
}

let openings = 0;
const context: SampleContext = {
  vault: lazily(async () => {
    openings += 1;
    if (openings === 1) throw new Refusal('lock-busy', 'the first opening fails, so that the second is seen to happen');
    return { opened: openings };
  }),
};

// As a watch on the store does, this keeps the process alive: only the server's own ending can end it.
setInterval(() => {}, 60_000);

const nothing = z.object({});

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Says what was sent.',
  risk: 'reads',
  input: z.object({ words: z.string().min(2).max(20), times: z.number().int().min(1).max(3).default(1) }).strict(),
  output: z.object({ said: z.array(z.string()) }),
  handle: async ({ words, times }) => ({ said: Array.from({ length: times }, () => sanitize(words, 'line')) }),
});

const openVault = defineTool({
  name: 'open_vault',
  title: 'Open',
  description: 'Opens the store.',
  risk: 'proposes',
  input: nothing,
  output: z.object({ opened: z.number(), openings: z.number() }),
  handle: async (_input, reach: SampleContext) => {
    const vault = await reach.vault();
    await reach.vault();
    return { opened: vault.opened, openings };
  },
});

const whoAmI = defineTool({
  name: 'who_am_i',
  title: 'Who am I',
  description: 'Names the client.',
  risk: 'reads',
  input: nothing,
  output: z.object({ client: z.string(), canBeAsked: z.boolean() }),
  handle: async (_input, _reach, { client, capabilities }) => ({
    client: sanitize(client?.name ?? 'unknown', 'line'),
    canBeAsked: capabilities?.elicitation !== undefined,
  }),
});

const askPerson = defineTool({
  name: 'ask_person',
  title: 'Ask',
  description: 'Asks the person.',
  risk: 'decides',
  meta: { 'example.org/asks': true },
  input: nothing,
  output: z.object({ answer: z.string() }),
  handle: async (_input, _reach, { request }) => {
    const given = request.inputResponses?.choice as { action?: string; content?: { choice?: string } } | undefined;
    if (given) return { answer: sanitize(`${given.action} ${given.content?.choice}`, 'line') };
    return inputRequired({
      inputRequests: {
        choice: inputRequired.elicit({
          message: 'Which?',
          requestedSchema: {
            type: 'object',
            properties: { choice: { type: 'string', enum: ['no', 'yes'] } },
            required: ['choice'],
          },
        }),
      },
    });
  },
});

const refuse = defineTool({
  name: 'refuse',
  title: 'Refuse',
  description: 'Refuses.',
  risk: 'decides',
  input: nothing,
  output: z.object({ done: z.boolean() }),
  handle: async () => {
    throw new Refusal('needs-person', 'only a person can do this; run surety review');
  },
});

const crash = defineTool({
  name: 'crash',
  title: 'Crash',
  description: 'Has a bug.',
  risk: 'reads',
  input: nothing,
  output: z.object({ done: z.boolean() }),
  handle: async () => {
    throw new TypeError('the inner reason\u001b[2J');
  },
});

const chatter = defineTool({
  name: 'chatter',
  title: 'Chatter',
  description: 'Prints where it must not, and returns more than it describes.',
  risk: 'reads',
  input: nothing,
  output: z.object({ done: z.boolean() }),
  handle: async () => {
    // biome-ignore lint/suspicious/noConsole: this is what a careless library does
    console.log('chatter on stdout');
    return { done: true, undescribed: 'stays inside' };
  },
});

const leak = defineTool({
  name: 'leak',
  title: 'Leak',
  description: 'Returns text that nobody sanitized.',
  risk: 'reads',
  input: nothing,
  output: z.object({ words: z.string() }),
  // @ts-expect-error: where a reply wants SafeText, nothing else fits.
  handle: async () => ({ words: Untrusted.of('raw words') }),
});

serveTools([echo, openVault, whoAmI, askPerson, refuse, crash, chatter, leak], context);
