import type { Session } from '../actions/session.ts';
import { HOW_TO_READ } from '../core/present/model-frame.ts';
import type { Resource } from './define.ts';

interface Reach {
  session(): Promise<Session>;
  /** The project at work, where it is known. */
  project?(): Promise<string | undefined>;
}

export const context: Resource<Reach> = {
  name: 'context',
  uri: 'memory://context',
  title: 'What to know from the start',
  description: `The memories to begin a session with, within the operator’s budget. ${HOW_TO_READ}`,
  mimeType: 'text/plain',
  read: async (reach, { nonce }) => {
    const { brief, briefText } = await import('../actions/agent/session-context.ts');
    const { vault } = await reach.session();
    return briefText(brief(vault, { project: await reach.project?.() }), nonce);
  },
};
