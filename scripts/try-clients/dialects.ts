/** A call that the scripted model makes: the tool's name in Surety, and the arguments. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: object;
}

/** What the model says next: a call, or a last word. A tool that the client keeps back is called through another one. */
export type Turn =
  | { readonly call: ScriptedCall & { readonly name: string; readonly through?: string } }
  | { readonly say: string };

/** A message as the script needs it: what a user typed, or which tool gave a result. */
interface Message {
  readonly user?: string;
  readonly result?: string;
}

/** One API of language models: how its requests are read and its answers are written. */
export interface Dialect {
  readonly path: RegExp;
  read(body: unknown): { readonly tools: readonly string[]; readonly messages: readonly Message[] };
  reply(body: unknown, turn: Turn, path: string): { readonly type: string; readonly text: string };
}

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, read by a script that a person looks at
type Json = any;

const STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';
let count = 0;
const nextId = (kind: string) => `${kind}_${++count}`;

function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }: Json) => text).join('\n');
}

function events(list: readonly Json[], isNamed: boolean): string {
  return list.map((each) => `${isNamed ? `event: ${each.type}\n` : ''}data: ${JSON.stringify(each)}\n\n`).join('');
}

const anthropic: Dialect = {
  path: /\/v1\/messages(?:\?|$)/,
  read({ tools = [], messages }: Json) {
    const names = new Map<string, string>();
    const referred =
      JSON.stringify(messages)
        .match(/"tool_reference","(?:tool_)?name":"[^"]+"/g)
        ?.join() ?? '';
    return {
      // A deferred tool can be called once a message refers to it.
      tools: tools
        .filter(({ name, defer_loading }: Json) => defer_loading !== true || referred.includes(`"${name}"`))
        .map(({ name }: Json) => name),
      messages: messages.flatMap(({ role, content }: Json): Message[] => {
        const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
        for (const { type, id, name } of parts) if (type === 'tool_use') names.set(id, name);
        if (role !== 'user') return [];
        return parts.map(({ type, text, tool_use_id }: Json) =>
          type === 'tool_result' ? { result: names.get(tool_use_id) ?? '' } : { user: text ?? '' },
        );
      }),
    };
  },
  reply({ model, stream }: Json, turn) {
    const block =
      'say' in turn
        ? { type: 'text', text: turn.say }
        : { type: 'tool_use', id: nextId('toolu'), name: turn.call.name, input: turn.call.args };
    const message = { id: nextId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null };
    const usage = { input_tokens: 10, output_tokens: 10 };
    const stop_reason = 'say' in turn ? 'end_turn' : 'tool_use';
    if (stream !== true) {
      return { type: JSON_TYPE, text: JSON.stringify({ ...message, content: [block], stop_reason, usage }) };
    }
    const [begun, delta] =
      block.type === 'text'
        ? [
            { type: 'text', text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    const list = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: begun },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
    return { type: STREAM, text: events(list, true) };
  },
};

/** OpenAI's newer API, which Codex speaks. Codex groups the tools of a server under a namespace. */
const responses: Dialect = {
  path: /\/responses(?:\?|$)/,
  read({ tools = [], input }: Json) {
    const names = new Map<string, string>();
    const flat = (list: Json[], inside = ''): string[] =>
      list.flatMap((each) =>
        each.tools ? flat(each.tools, each.name) : `${inside}${inside && '.'}${each.name ?? each.type}`,
      );
    return {
      tools: flat(tools),
      messages: input.map(({ type, role, content, call_id, name }: Json): Message => {
        if (type === 'function_call') names.set(call_id, name);
        if (type === 'function_call_output') return { result: names.get(call_id) ?? '' };
        return type === 'message' && role === 'user' ? { user: textOf(content) } : {};
      }),
    };
  },
  reply(_body, turn) {
    const id = nextId('resp');
    const item =
      'say' in turn
        ? {
            type: 'message',
            id: nextId('msg'),
            role: 'assistant',
            content: [{ type: 'output_text', text: turn.say, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: nextId('fc'),
            call_id: nextId('call'),
            ...calledInNamespace(turn.call.name),
            arguments: JSON.stringify(turn.call.args),
          };
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    const list = [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id, output: [item], usage } },
    ];
    return { type: STREAM, text: events(list, true) };
  },
};

function calledInNamespace(name: string) {
  const dot = name.indexOf('.');
  return dot < 0 ? { name } : { namespace: name.slice(0, dot), name: name.slice(dot + 1) };
}

const chat: Dialect = {
  path: /\/chat\/completions(?:\?|$)/,
  read({ tools = [], messages }: Json) {
    const names = new Map<string, string>();
    return {
      tools: tools.map((each: Json) => each.function?.name),
      messages: messages.map(({ role, content, tool_calls = [], tool_call_id }: Json): Message => {
        for (const each of tool_calls ?? []) names.set(each.id, nameOf(each.function));
        if (role === 'tool') return { result: names.get(tool_call_id) ?? '' };
        return role === 'user' ? { user: textOf(content) } : {};
      }),
    };
  },
  reply({ model, stream }: Json, turn) {
    const called =
      'say' in turn
        ? { content: turn.say }
        : {
            content: null,
            tool_calls: [
              {
                index: 0,
                id: nextId('call'),
                type: 'function',
                function: functionOf(turn.call),
              },
            ],
          };
    const message = { role: 'assistant', ...called };
    const finish_reason = 'say' in turn ? 'stop' : 'tool_calls';
    const head = { id: nextId('chatcmpl'), created: 1, model };
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    if (stream !== true) {
      const choices = [{ index: 0, message, finish_reason }];
      return { type: JSON_TYPE, text: JSON.stringify({ ...head, object: 'chat.completion', choices, usage }) };
    }
    const chunk = (delta: object, finish: string | null) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const list = [chunk(message, null), { ...chunk({}, finish_reason), usage }];
    return { type: STREAM, text: `${events(list, false)}data: [DONE]\n\n` };
  },
};

function functionOf({ name, args, through }: ScriptedCall & { readonly name: string; readonly through?: string }) {
  if (through === undefined) return { name, arguments: JSON.stringify(args) };
  return { name: through, arguments: JSON.stringify({ name, arguments: args }) };
}

/** The inverse of `functionOf`. */
function nameOf({ name, arguments: args }: { readonly name: string; readonly arguments: string }): string {
  return name === BRIDGE ? JSON.parse(args).name : name;
}

/** The tool of Qwen Code that calls tools which it keeps out of the list. */
export const BRIDGE = 'tool_call';

const gemini: Dialect = {
  path: /:(?:streamG|g)enerateContent/,
  read({ tools = [], contents }: Json) {
    return {
      tools: tools.flatMap((each: Json) => (each.functionDeclarations ?? []).map(({ name }: Json) => name)),
      messages: contents.flatMap(({ role, parts }: Json): Message[] =>
        parts.map(({ text, functionResponse }: Json) => {
          if (functionResponse !== undefined) return { result: functionResponse.name };
          return role === 'user' ? { user: text ?? '' } : {};
        }),
      ),
    };
  },
  reply(_body, turn, path) {
    const part = 'say' in turn ? { text: turn.say } : { functionCall: { name: turn.call.name, args: turn.call.args } };
    const answer = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    };
    if (!path.includes('alt=sse')) return { type: JSON_TYPE, text: JSON.stringify(answer) };
    return { type: STREAM, text: events([answer], false) };
  },
};

export const DIALECTS: readonly Dialect[] = [anthropic, responses, chat, gemini];
