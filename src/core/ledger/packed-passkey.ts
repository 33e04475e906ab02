import type { Statement } from './statement.ts';

const PLAIN_PARTS = /^[\w-]*(?:\.[\w-]*){4}$/;

type OfPasskey = Pick<Statement, 'passkeys' | 'assertion'>;

/** Few rows have either, so both are one text: JSON, or the parts of an assertion with dots between them. */
export function packedPasskey({ passkeys, assertion }: OfPasskey): string | null {
  if (passkeys !== null) return JSON.stringify({ passkeys, assertion });
  if (assertion === null) return null;
  const { credential, authenticatorData, clientDataJSON, signature, nonce } = assertion;
  const joined = `${credential}.${authenticatorData}.${clientDataJSON}.${signature}.${nonce}`;
  return PLAIN_PARTS.test(joined) ? joined : JSON.stringify({ passkeys, assertion });
}

export function unpackedPasskey(text: string | null): OfPasskey {
  if (text === null) return { passkeys: null, assertion: null };
  if (text.startsWith('{')) return JSON.parse(text) as OfPasskey;
  type Parts = [string, string, string, string, string];
  const [credential, authenticatorData, clientDataJSON, signature, nonce] = text.split('.') as Parts;
  return { passkeys: null, assertion: { credential, authenticatorData, clientDataJSON, signature, nonce } };
}
