import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { resolvePlaces } from '../places/places.ts';

/** A home of its own in the system's temporary folder, with a store in it; nothing of the real one is read or written. */
export class ThrowAwayHome {
  readonly folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'surety-demo-')));
  readonly #memories: string;

  constructor(settings: Readonly<Record<string, number>>) {
    try {
      const home = this.folder;
      const places = resolvePlaces({ env: {}, home, account: home, platform: process.platform });
      mkdirSync(places.config, { recursive: true, mode: 0o700 });
      writeFileSync(join(places.config, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
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

  /** What anything with file tools could do. */
  write(id: string, text: string): void {
    writeFileSync(this.pathOf(id), text);
  }

  /** Starts the program that runs now as a server in this home. */
  serve(): ServerProcess {
    return new ServerProcess({ PATH: process.env.PATH, HOME: this.folder, USERPROFILE: this.folder });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A server as a client starts it: lines in, lines out. */
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

  /** Ends the input, as a client does that leaves, and waits until the server has left too. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.ended;
  }
}
