/** Random bytes in hex. Node's module is loaded at the first use, because a server does without it at its start. */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('hex');
}
