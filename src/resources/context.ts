import type { Session } from '../actions/session.ts';
import { HOW_TO_READ } from '../core/present/model-frame.ts';
import type { Resource } from './define.ts';

interface ProjectContext {
  session(): Promise<Session>;
  /** The current project, if known. */
  project?(): Promise<string | undefined>;
}

export const context: Resource<ProjectContext> = {
  name: 'context',
  uri: 'memory://context',
  title: 'What to know from the start',
  description: `The memories to begin a session with, within the operator’s budget. ${HOW_TO_READ}`,
  mimeType: 'text/plain',
  read: async (context, { nonce }) => {
    const { sessionContext, contextText } = await import('../actions/agent/session-context.ts');
    const { vault } = await context.session();
    return contextText(sessionContext(vault, { project: await context.project?.() }), nonce);
  },
};
