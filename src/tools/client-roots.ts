import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/server';

/** At most two seconds, because a call waits for it; a client that does not answer has no roots. */
const ANSWER_MS = 2_000;

/** The folders that a client of the handshake era says it works in; none from later ones, which start servers in the folder. */
export async function clientRoots(server: McpServer | undefined): Promise<string[]> {
  if (server?.server.getClientCapabilities()?.roots === undefined) return [];
  try {
    const { roots } = await server.server.listRoots(undefined, { timeout: ANSWER_MS });
    return roots.filter(({ uri }) => uri.startsWith('file:')).map(({ uri }) => fileURLToPath(uri));
  } catch {
    return [];
  }
}
