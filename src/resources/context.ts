import { brief, briefText, HOW_TO_READ } from '../actions/brief.ts';
import type { Session } from '../actions/session.ts';
import type { Resource } from './define.ts';

interface Reach {
  session(): Promise<Session>;
  /** The project at work, where it is known. */
  project?(): string | undefined;
}

export const context: Resource<Reach> = {
  name: 'context',
  uri: 'memory://context',
  title: 'What to know from the start',
  description: `The memories to begin a session with, within the operator’s budget. ${HOW_TO_READ}`,
  mimeType: 'text/plain',
  read: async (reach, { nonce }) => {
    const { vault } = await reach.session();
    return briefText(brief(vault, { project: reach.project?.() }), nonce);
  },
};
