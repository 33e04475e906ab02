/**
 * Clients that say they can open an address for a person and refuse one that begins with `http:`, by the name they send.
 * Codex 0.166 declines the question before anybody sees it.
 */
const REFUSES_HTTP: ReadonlySet<string> = new Set(['codex-mcp-client']);

export function refusesHttp(client: string | undefined): boolean {
  return client !== undefined && REFUSES_HTTP.has(client);
}
