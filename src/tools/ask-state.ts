/**
 * The state of a question, which the client returns with the answer. The SDK signs it with a key of this process and rejects
 * any other state, so a tool only sees states from this process.
 */
export type AskState = { readonly asked: 'dialog' | 'page'; readonly nonce: string };

export type SignState = (state: AskState) => Promise<string>;
