import { randomFillSync } from 'node:crypto';

/** Asked for in portions: one call to the system's source takes longer than most of what a reply is made of. */
const portion = Buffer.alloc(1024);
let used = portion.length;

export function randomHex(bytes: number): string {
  if (bytes > portion.length - used) {
    randomFillSync(portion);
    used = 0;
  }
  used += bytes;
  return portion.toString('hex', used - bytes, used);
}
