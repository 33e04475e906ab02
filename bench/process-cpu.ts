import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Each process tells its own CPU time when it exits: a parent learns that of a child on some systems only. */
const TELL =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>{const{user,system}=process.cpuUsage();writeSync(3,String(user+system))})';

/** A server's requests, each sent when the one before is answered; or the text that a command gets. */
export type Input = string | readonly object[];

/** What it says while a large store is read. */
const PROGRESS = /^surety: reading the memories: .*\n/gm;

/** The CPU time of a process with all its threads, in milliseconds. It fails if the process complains. */
export async function cpuOf(args: readonly string[], home: string, input: Input): Promise<number> {
  const child = spawn(process.execPath, ['--import', TELL, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const told = text(child.stdio[3] as Readable);
  const complaint = text(child.stderr);
  const requests = typeof input === 'string' ? [] : [...input];
  const send = () => {
    const next = requests.shift();
    if (next === undefined) child.stdin.end(typeof input === 'string' ? input : '');
    else child.stdin.write(`${JSON.stringify(next)}\n`);
  };
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (portion: string) => {
    const lines = `${answer}${portion}`.split('\n');
    answer = lines.pop() ?? '';
    for (const line of typeof input === 'string' ? [] : lines) if (JSON.parse(line).id !== undefined) send();
  });
  send();
  const complained = (await complaint).replace(PROGRESS, '').trim();
  if (complained !== '') throw new Error(`${args.slice(1).join(' ')} failed: ${complained}`);
  return Number(await told) / 1000;
}

const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** A session of a server in which these requests are made. */
export function sessionOf(...requests: readonly { readonly method: string; readonly params?: object }[]): Input {
  return [HELLO, ...requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }))];
}
