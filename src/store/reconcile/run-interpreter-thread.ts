import { parentPort, workerData } from 'node:worker_threads';
import { checksFor } from '../../core/checks/all.ts';
import { interpretAll } from '../format/interpret.ts';
import { ParseCache } from '../index/parse-cache.ts';
import { asBuffer, type Interpreter, type NamedBytes, type SealedReadings } from './interpreter-thread.ts';

// What the thread of `InterpreterThread` runs. It has no disk, no ledger and no index: it gets bytes and returns sealed readings.

const { secrets, settings }: Interpreter = workerData;
const checks = checksFor(settings);
const parseCache = new ParseCache(secrets);

parentPort?.on('message', (files: readonly NamedBytes[]) => {
  const named = files.map(({ stem, bytes }) => ({ stem, bytes: asBuffer(bytes) }));
  const readings: SealedReadings = Array.from(interpretAll(named, checks), ([{ stem, bytes }, reading]) =>
    parseCache.seal(stem, bytes, reading),
  );
  parentPort?.postMessage(readings);
});
