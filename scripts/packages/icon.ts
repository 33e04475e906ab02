import { crc32, deflateSync } from 'node:zlib';

const SIZE = 512;
const INK = [31, 41, 55, 255] as const;
const PAPER = [250, 204, 21, 255] as const;
const NOTHING = [0, 0, 0, 0] as const;

/** A shield with a check mark, 512 by 512, as a PNG. */
export function icon(): Buffer {
  const rows = Array.from({ length: SIZE }, (_, y) => {
    const pixels = Array.from({ length: SIZE }, (_, x) => smooth(x, y));
    // Each row begins with the number of its filter: 0, none.
    return Buffer.from([0, ...pixels.flat()]);
  });
  const head = Buffer.alloc(13);
  head.writeUInt32BE(SIZE, 0);
  head.writeUInt32BE(SIZE, 4);
  // 8 bits for each of red, green, blue and opacity.
  head.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.concat(rows), { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** The mean of four points of a pixel, so that edges have no steps. */
function smooth(x: number, y: number): number[] {
  const points = [0.25, 0.75].flatMap((dx) => [0.25, 0.75].map((dy) => colour((x + dx) / SIZE, (y + dy) / SIZE)));
  const opacity = points.reduce((sum, [, , , a]) => sum + a, 0);
  const mean = (at: 0 | 1 | 2) =>
    opacity === 0 ? 0 : Math.round(points.reduce((sum, point) => sum + point[at] * point[3], 0) / opacity);
  return [mean(0), mean(1), mean(2), Math.round(opacity / points.length)];
}

/** The colour of a point; both coordinates run from 0 to 1. */
function colour(x: number, y: number): readonly [number, number, number, number] {
  if (!isInShield(x, y)) return NOTHING;
  const isMark = distance(x, y, 0.32, 0.47, 0.45, 0.6) < 0.05 || distance(x, y, 0.45, 0.6, 0.69, 0.33) < 0.05;
  return isMark ? PAPER : INK;
}

function isInShield(x: number, y: number): boolean {
  const half = y < 0.45 ? 0.37 : 0.37 * Math.sqrt(Math.max(0, 1 - ((y - 0.45) / 0.5) ** 2));
  return y > 0.08 && Math.abs(x - 0.5) < half;
}

/** How far a point is from the line between two others. */
function distance(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
