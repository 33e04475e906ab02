/**
 * Loads what taking the lock needs, ahead of time where an update could take its file away meanwhile. It is always loaded from
 * this file: Node looks for a file again for each file that asks for it, also where it is loaded already.
 */
export function loadTicketTaking() {
  return import('./take-lock-ticket.ts');
}
