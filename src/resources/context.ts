import type { SessionProject } from '../actions/project-here.ts';
import type { Session } from '../actions/session.ts';
import { HOW_TO_READ } from '../core/present/model-frame.ts';
import type { Resource } from './define.ts';

interface ProjectContext {
  session(): Promise<Session>;
  project(): Promise<SessionProject>;
  checkout(session: Session): Promise<Session['checkout']>;
}

export const context: Resource<ProjectContext> = {
  name: 'context',
  uri: 'memory://context',
  title: 'What to know from the start',
  description: `The memories to begin a session with, within the operator’s budget. ${HOW_TO_READ}`,
  mimeType: 'text/plain',
  read: async (context, { nonce }) => {
    const { sessionContext, contextText } = await import('../actions/agent/session-context.ts');
    const session = await context.session();
    const here = await context.project();
    const loaded = sessionContext(session.vault, {
      projects: here.names,
      checkout: await context.checkout(session),
    });
    if (loaded.given.some(({ memory }) => memory.project !== null)) here.use();
    return contextText(loaded, nonce);
  },
};
