/**
 * What chat formats put between turns and around tool calls. A tokenizer may read it as the real thing anywhere in a text,
 * so a check holds a memory that contains any. These are pattern sources for lower-case text.
 */
export const CHAT_TOKENS: readonly string[] = [
  '<[|｜]/?[a-z][a-z0-9_▁/:.-]{0,60}[|｜]>|<\\|(?:turn|channel|think|tool|tool_call|tool_response)>|<(?:turn|channel|tool|tool_call|tool_response)\\|>',
  '\\[/?inst\\]|<</?sys>>|<(?:start|end)_of_turn>|</?(?:function_calls|function_results|function_call|tool_call|tool_calls|tool_response|tool_results?|tool_use|antml:[a-z_]{1,30})\\b',
  // Not after a name, where the brackets hold an index.
  '(?<![\\w)\\]])\\[/?(?:system_prompt|available_tools|tool_results)\\]',
  '<invoke name=',
  '</?(?:instructions|system|assistant|human|system_prompt|system-prompt|system_message|important_instructions)\\s?>',
];

/** Names of elements in which clients put their own messages to a model. They match in any case and after any character. */
const CLIENT_ELEMENTS = [
  'system[-_\\s](?:reminder|prompt|message|instruction|warning|notification|note|context|override|update|alert)s?',
  'untrusted[-_][a-z]{1,20}',
  '(?:memory|retrieved|hook|global|extension|loaded|session|environment)[-_]context',
  '[a-z]{2,20}(?:-[a-z]{2,20}){0,3}-hook',
  'command-(?:name|message|args|contents)',
  'local-command-[a-z]{2,20}',
  'bash-(?:input|stdout|stderr)',
  'new-diagnostics|task-notification|(?:teammate|agent|cross-session)-message|user-memory-input|persisted-output|available-deferred-tools',
  'permissions instructions',
  'antml:[a-z_]{1,30}|minimax:tool_call|seed:[a-z_]{2,20}',
];

/** Element names that are also type names. They do not match after a letter, as in a generic type. */
const CLIENT_ELEMENTS_APART = [
  '(?:tool|function)[-_](?:call|use|result|response|output|error|use_error|code)s?',
  'user[-_](?:query|instructions|rules|message|request|prompt|shell_command)',
  '(?:assistant|developer|human)[-_](?:message|prompt|response|instructions|turn)',
  'ide_(?:selection|opened_file|diagnostics)',
  'environment_(?:details|info)|additional_(?:data|context)|project_context|conversation[-_](?:summary|context)',
  'available[-_](?:skills|tools|instructions)|agent_skills|activated_skill|tool_calling|cursor_rules_context',
  'subagent_notification|turn_aborted|collaboration_mode|state_snapshot|compressed_history',
  '(?:important|explicit)_instructions?|extremely[-_]important|scratch[-_]pad|max_thinking_length|reasoning_effort',
  'arg_(?:key|value)|extra_id_\\d{1,3}',
];

const END = '(?![\\w-])';

/** Matches the first character alone, because a mark's last bracket may be the first of the next mark. */
function beginningOf(marks: readonly string[], flags: string): RegExp {
  return new RegExp(`(?=${marks.join('|')})[<[\\]]`, flags);
}

/** Case-insensitive. */
export const CHAT_MARK = beginningOf(
  [
    ...CHAT_TOKENS,
    `<\\s?/?\\s?(?:${CLIENT_ELEMENTS.join('|')})${END}`,
    `(?:(?<!\\w)<\\s?|<\\s?/\\s?)(?:${CLIENT_ELEMENTS_APART.join('|')})${END}`,
    '<(?:function|parameter)=\\w',
    '\\]~!?b[\\[\\]]|\\[e~\\[',
  ],
  'gi',
);

/** Case-sensitive: in another case these are types, indices or words in brackets. */
export const EXACT_CHAT_MARK = beginningOf(
  [
    `</?(?:thinking|think|thinking_mode|antThinking|TOOLCALL|userRequest|reminderInstructions|userPreferences|userStyle|claudeMd|bos|eos|sop|eop)${END}`,
    '\\[/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|MODEL_SETTINGS)\\]',
    '(?<![\\w)\\]])\\[/?(?:THINK|CALL_ID)\\]',
    '<channel\\s+source=|\\[SYSTEM NOTIFICATION|\\[Request interrupted by user',
  ],
  'g',
);

/**
 * The beginning of a turn in formats that write turns as lines, or of a message that Claude Code puts like one. The colon makes it
 * a turn. `System:` and `User:` also begin lines of ordinary notes.
 */
export const TURN =
  /^([>#*\-\s]{0,6}(?:Human|Assistant|HUMAN|ASSISTANT|SYSTEM)(?:\*\*)?|Another Claude session sent a message|Stop hook feedback|### (?:Instruction|Response|Input)):/gm;
