import type { Session } from '../actions/session.ts';

/** Runs a command on an opened store, and closes the store whatever comes of it. */
export async function withStore<Opened extends Session, Result>(
  opening: Promise<Opened>,
  work: (session: Opened) => Result | Promise<Result>,
): Promise<Result> {
  const session = await opening;
  try {
    return await work(session);
  } finally {
    session.vault.close();
  }
}
