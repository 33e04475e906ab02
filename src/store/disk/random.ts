/** Asked for in portions: one call to the system's source takes longer than most of what a reply is made of. */
const portion = Buffer.alloc(1024);
let used = portion.length;

export function randomHex(bytes: number): string {
  if (bytes > portion.length - used) {
    // Through the global: whoever only might need it does not load all of node:crypto.
    crypto.getRandomValues(portion);
    used = 0;
  }
  used += bytes;
  return portion.toString('hex', used - bytes, used);
}
