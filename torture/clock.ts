// node --import torture/clock.ts dist/main.js: the server's clock runs apart from the real one by what a file says, in
// milliseconds, and jumps when the process gets SIGUSR2; it writes how far into a file with .taken behind the name then. The
// shipped program has no such way; this replaces Date before it starts.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.TORTURE_CLOCK ?? '';
const RealDate = globalThis.Date;
let apart = 0;

function look(): void {
  apart = Number(readFileSync(file, 'utf8')) || 0;
}

class ShiftedDate extends RealDate {
  constructor(...given: [] | ConstructorParameters<DateConstructor>) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...(given as ConstructorParameters<DateConstructor>));
  }

  static override now(): number {
    return RealDate.now() + apart;
  }
}

look();
process.on('SIGUSR2', () => {
  look();
  writeFileSync(`${file}.taken`, `${apart}`);
});
globalThis.Date = ShiftedDate as DateConstructor;
