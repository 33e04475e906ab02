// The floor: our SDK, built as our server is, with one tool that does nothing and no store behind it.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1' }, { capabilities: { tools: { listChanged: false } } });
  server.registerTool(
    'empty',
    {
      title: 'Empty',
      description: 'Does nothing.',
      inputSchema: z.object({}).strict(),
      outputSchema: z.object({ done: z.string() }),
    },
    () => ({ content: [{ type: 'text', text: 'done' }], structuredContent: { done: 'done' } }),
  );
  return server;
});
