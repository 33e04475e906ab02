/**
 * What a question leaves with the client, to come back with the answer. The SDK signs it under a key of this process and
 * answers a call that carries another one with a protocol error, so a tool only sees states that this process made.
 */
export type AskState = { readonly asked: 'dialog' | 'page'; readonly nonce: string };

export type SignState = (state: AskState) => Promise<string>;
