import type { Assurance } from './consent.ts';

/** The command that asks about what waits. Only a page reaches the passkey that a yes may need. */
export function reviewCommand({ minimumAssurance }: { readonly minimumAssurance: Assurance }): string {
  return minimumAssurance === 4 ? 'surety review --web' : 'surety review';
}
