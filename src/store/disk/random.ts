/** Fetched in portions, because one call to the system's source takes longer than most of a reply. */
const portion = Buffer.alloc(1024);
let used = portion.length;

export function randomHex(bytes: number): string {
  if (bytes > portion.length - used) {
    // Loaded at the first use, because a server does without it at its start.
    process.getBuiltinModule('node:crypto').randomFillSync(portion);
    used = 0;
  }
  used += bytes;
  return portion.toString('hex', used - bytes, used);
}
