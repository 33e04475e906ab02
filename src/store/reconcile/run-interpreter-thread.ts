import { parentPort, workerData } from 'node:worker_threads';
import { checksFor } from '../../core/checks/all.ts';
import { interpretAll } from '../format/interpret.ts';
import { ParseCache } from '../index/parse-cache.ts';
import { asBuffer, type Interpreter, type NamedBytes, programOf, type SealedReadings } from './interpreter-thread.ts';

// What the thread of `InterpreterThread` runs. It has no disk, no ledger and no index: it gets bytes and returns sealed readings.

const { secrets, settings, program }: Interpreter & { readonly program: string } = workerData;
// An update may have put its file in the place of ours, and what it reads by other rules would be sealed as read by ours.
if (program !== programOf({ secrets, settings })) throw new Error('this thread is of another program');
const checks = checksFor(settings);
const parseCache = new ParseCache(secrets);

parentPort?.on('message', (files: readonly NamedBytes[]) => {
  const named = files.map(({ stem, bytes }) => ({ stem, bytes: asBuffer(bytes) }));
  const readings: SealedReadings = Array.from(interpretAll(named, checks), ([{ stem, bytes }, reading]) =>
    parseCache.seal(stem, bytes, reading),
  );
  parentPort?.postMessage(readings);
});
