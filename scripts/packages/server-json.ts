import type { Facts } from './facts.ts';

/** At most 100 characters, because the registry refuses more. */
const SHORT = 'Long-term memory for coding agents that carries trust: only a person can make a memory count.';

/** The entry in the registry of MCP servers; undefined as long as no name there is ours. */
export function serverJson({ name, version, mcpName, repository, homepage }: Facts): object | undefined {
  if (mcpName === undefined) return undefined;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Surety',
    description: SHORT,
    version,
    ...(homepage === undefined ? {} : { websiteUrl: homepage }),
    ...(repository === undefined
      ? {}
      : { repository: { url: repository.url.replace(/^git\+|\.git$/g, ''), source: 'github' } }),
    packages: [{ registryType: 'npm', identifier: name, version, runtimeHint: 'npx', transport: { type: 'stdio' } }],
  };
}
