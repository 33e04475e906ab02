import { agentShell } from './agent-shells.ts';

/**
 * Whether a person at a terminal reads what is printed. What goes into a pipe, a file or an agent's shell may be read by a
 * model, so nothing that a quarantined memory says is printed there.
 */
export function personReads(): boolean {
  return process.stdout.isTTY === true && agentShell(process.env) === undefined;
}
