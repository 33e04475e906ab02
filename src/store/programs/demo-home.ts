import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { resolvePlaces } from '../places/places.ts';

/** A separate home with a store in the system's temporary folder; the real home is neither read nor written. */
export class ThrowAwayHome {
  readonly folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'surety-demo-')));
  readonly #memories: string;

  constructor() {
    try {
      const home = this.folder;
      const places = resolvePlaces({ env: {}, home, account: home, platform: process.platform });
      mkdirSync(places.config, { recursive: true, mode: 0o700 });
      this.#memories = places.memories;
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  pathOf(id: string): string {
    return join(this.#memories, `${id}.md`);
  }

  text(id: string): string {
    return readFileSync(this.pathOf(id), 'utf8');
  }

  /** Writes like any program with file tools. */
  write(id: string, text: string): void {
    writeFileSync(this.pathOf(id), text);
  }

  /** Starts the running program as a server in this home. */
  serve(): ServerProcess {
    return new ServerProcess({ PATH: process.env.PATH, HOME: this.folder, USERPROFILE: this.folder });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A server as a client starts it: one line per message in each direction. */
export class ServerProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [process.argv[1] ?? '', 'serve'], { env });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.resume();
    this.ended = new Promise((resolve) => {
      this.#child.on('close', () => resolve());
      this.#child.on('error', () => resolve());
    });
  }

  onLine(heard: (line: string) => void): void {
    createInterface({ input: this.#child.stdout }).on('line', heard);
  }

  send(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Ends the input, as a leaving client does, and waits until the server exits. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.ended;
  }
}
