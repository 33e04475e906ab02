import { agentShell } from '../../core/clients/agent-shells.ts';

/**
 * Whether a person at a terminal reads the output. A model may read a pipe, a file or an agent's shell, so the text of
 * quarantined memories is not printed there.
 */
export function personReads(): boolean {
  return process.stdout.isTTY === true && agentShell(process.env) === undefined;
}
