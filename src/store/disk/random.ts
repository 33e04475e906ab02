/** Fetched in portions, because one call to the system's source takes longer than most of a reply. */
const portion = Buffer.alloc(1024);
let used = portion.length;

export function randomHex(bytes: number): string {
  if (bytes > portion.length - used) {
    // The global, because importing node:crypto here would load all of it at start.
    crypto.getRandomValues(portion);
    used = 0;
  }
  used += bytes;
  return portion.toString('hex', used - bytes, used);
}
