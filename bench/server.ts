// Surety as it is served, with one more tool that does nothing: what the protocol itself costs, in the same process.
import * as z from 'zod';
import { noticeOnce } from '../src/actions/pending-notice.ts';
import { projectHere } from '../src/actions/project-here.ts';
import { openSession } from '../src/actions/session.ts';
import { watchStore } from '../src/actions/watch-store.ts';
import { lazily } from '../src/core/lazily.ts';
import { text } from '../src/core/text/safe-text.ts';
import { type Context, serveTools, TOOLS } from '../src/server.ts';
import { defineTool } from '../src/tools/define.ts';
import { tuneHeapFor } from '../src/v8-heap.ts';

const empty = defineTool({
  name: 'empty',
  title: 'Empty',
  description: 'Does nothing.',
  risk: 'reads',
  input: z.object({}).strict(),
  output: z.object({ done: z.string() }),
  handle: async () => ({ done: text`done` }),
});

const session = lazily(async () => {
  tuneHeapFor(true);
  const session = await openSession(undefined);
  tuneHeapFor(false);
  watchStore(session, async () => {});
  return session;
});

const context: Context = {
  session,
  opened: session,
  asking: () => Promise.reject(new Error('the benchmark asks nobody')),
  notice: async (session) => noticeOnce(session),
  project: async () => projectHere((await session()).vault.places),
  checkout: async () => undefined,
  onInvalid: async () => {},
};

serveTools([...TOOLS, empty], context);
