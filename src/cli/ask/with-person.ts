import { recordTurnedAway } from '../../actions/audit-without-session.ts';
import { openSession, openStore, type Session } from '../../actions/session.ts';
import { loadTicketTaking } from '../../store/disk/load-ticket-taking.ts';
import { clearEditorFolders } from '../../store/programs/editor.ts';
import { EXIT, Interrupted } from '../command.ts';
import { complain } from '../terminal/print.ts';
import { tellUnrecorded, waitForLedger } from './wait-for-ledger.ts';
import { Witness, whyNobody } from './witness.ts';

/**
 * Runs a command that needs a person's yes with the store and a witness. Only commands that bring memories create a
 * missing store; otherwise a mistyped folder would become one. A command that ends with an error is recorded here, if nothing below did it; `id`
 * is the memory that the person named.
 */
export async function withPerson(
  command: string,
  root: string | undefined,
  work: (session: Session, witness: Witness) => Promise<number>,
  { makesStore = false, id }: { readonly makesStore?: boolean; readonly id?: string | undefined } = {},
): Promise<number> {
  const nobody = whyNobody(command);
  if (nobody !== undefined) {
    recordTurnedAway(root, command);
    complain(nobody);
    return EXIT.failed;
  }
  const session = await (makesStore ? openSession(root) : openStore(root));
  clearEditorFolders({ state: session.vault.places.state, complain });
  // Otherwise it is loaded at the first write, and an update may take it away while the person reads.
  await loadTicketTaking();
  const witness = new Witness();
  try {
    const code = await work(session, witness).catch((thrown: unknown) => {
      tellUnrecorded(session);
      throw thrown;
    });
    await waitForLedger(session, witness);
    return code;
  } catch (thrown) {
    if (!(thrown instanceof Interrupted))
      session.audit.recordFailureOnce({ channel: 'terminal', action: command, id }, thrown);
    throw thrown;
  } finally {
    witness.terminal.close();
    session.vault.close();
  }
}
