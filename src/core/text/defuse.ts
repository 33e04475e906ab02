import { type SafeText, sanitize, type Untrusted } from './safe-text.ts';

/**
 * What chat formats put between turns and around tool calls: a tokenizer may take it for the real thing wherever it
 * stands. Sources of patterns over text in lower case; a check holds a memory that has any.
 */
export const CHAT_TOKENS: readonly string[] = [
  '<\\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|end_of_text|channel|message|start|end)\\|>',
  '\\[/?inst\\]|<</?sys>>|<(?:start|end)_of_turn>|</?(?:function_calls|function_results|function_call|tool_call|tool_calls|tool_response|antml:[a-z_]{1,30})\\b',
  '<invoke name=',
  '</?(?:instructions|system|assistant|human|system_prompt|system-prompt|system_message|important_instructions)\\s?>',
];

const CHAT_TOKEN = new RegExp(CHAT_TOKENS.join('|'), 'gi');
/** Every one of them, and every picture, has one of these; most text has neither. */
const OPENS = /[<[]/;
const OPENING: Readonly<Record<string, string>> = { '<': '‹', '[': '⁅' };

/**
 * Stored text as a model is given it: a chat format's marks lose their first character to one that looks like it, and a
 * picture its effect, because clients that render markdown fetch it from whatever address it names.
 */
export function inert(stored: Untrusted | string, shape: 'line' | 'body'): SafeText {
  const clean = sanitize(stored, shape);
  const written = clean.toString();
  if (!OPENS.test(written)) return clean;
  const quiet = written.replaceAll(CHAT_TOKEN, (token) => `${OPENING[token[0] ?? ''] ?? ''}${token.slice(1)}`);
  return sanitize(quiet.replaceAll('![', '\\!['), shape);
}
