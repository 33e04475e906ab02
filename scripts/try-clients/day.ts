import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../../testkit/chromium.ts';
import type { TriedClient } from './clients.ts';
import type { ScriptedModel } from './model.ts';
import { type Habit, Screen } from './screen.ts';
import { TURNS } from './script.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
/** Clients open no page where there is no display. */
const BROWSER = { DISPLAY: ':0', BROWSER: 'xdg-open' };

const TOOLS = 'adopt demote promote propose_memory read_memory reaffirm restore review_queue search_memories'.split(
  ' ',
);

/** Types a prompt and waits for the model's last words. */
type Type = (prompt: string, last: string) => Promise<void>;

/** What was found, by the heading of its column. */
type Findings = Map<string, string>;

/** A day with one client, in an empty home: set up, two sessions, a review, and everything taken back. */
export class Day {
  /** Every screen on which a key was pressed, and the last of each program. */
  readonly screens: string[] = [];
  readonly found: Findings = new Map();
  readonly #client: TriedClient;
  readonly #model: ScriptedModel;
  readonly #home = mkdtempSync(join(tmpdir(), 'surety-day '));
  readonly #work = join(this.#home, 'project');
  readonly #opened = join(this.#home, 'opened');
  readonly #env: Readonly<Record<string, string>>;

  constructor(client: TriedClient, program: string, model: ScriptedModel) {
    this.#client = client;
    this.#model = model;
    const bin = join(this.#home, 'bin');
    for (const folder of [this.#work, bin]) mkdirSync(folder);
    execFileSync('git', ['init', '--quiet', this.#work]);
    symlinkSync(program, join(bin, client.program));
    symlinkSync(MAIN, join(bin, 'surety'));
    // What a client starts to open an address. It only keeps the address.
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${this.#opened}'\n`);
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const path = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
    this.#env = {
      HOME: this.#home,
      PATH: path,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      ...BROWSER,
      ...client.env(model.url),
    };
  }

  async live(): Promise<void> {
    const { short, long, later, search, greeting, question, guarded } = TURNS;
    this.found.set('version', /\d+\.\d+\.\d+/.exec(this.#output(this.#client.program, '--version'))?.[0] ?? '?');
    const set = await this.#surety('init', [
      { sees: /switch it off[\s\S]*answer:$/, presses: ['n', 'Enter'] },
      { sees: /answer:$/, presses: ['y', 'Enter'] },
      // The passkey that init offers: this person says yes without one.
      { sees: /Enter leaves it:$/, presses: ['Enter'] },
    ]);
    this.found.set('init', /(\S.*) is set up/.test(set) ? 'set up' : 'not set up');
    this.#client.prepare?.(this.#home);
    await this.#session(async (type) => {
      await type(`remember: ${short.words}`, short.last);
      await type(`please ${long.words}`, long.last);
      await type(`please ${search.words}`, search.last);
    });
    const listed = TOOLS.filter((tool) => this.#has(0, new RegExp(`(?:surety.{1,2}|"name":")${tool}\\b`)) === 'seen');
    this.found.set('tools', `${listed.length} of ${TOOLS.length}`);
    this.found.set('search', this.#has(0, /\\"hits\\":\s*\[\s*\{|"hits":\[\{/));
    this.found.set('short text', this.#decision(short.id));
    this.found.set('long text', this.#decision(long.id));
    await this.#review();
    const second = this.#model.sent.length;
    await this.#session(async (type) => {
      await type(greeting.words, greeting.last);
      this.found.set('session start', this.#loaded(second, short.id));
      await type(`remember: ${later.words}`, later.last);
      await this.#review();
      const third = this.#model.sent.length;
      await type(`${question.words}?`, question.last);
      this.found.set('each prompt', this.#loaded(third, later.id));
      const fourth = this.#model.sent.length;
      if (this.#client.shell !== undefined) await type(`please ${guarded.words}`, guarded.last);
      this.found.set('write guard', this.#refused(fourth));
    });
    this.found.set('in the end', this.#decision(long.id));
    const undone = await this.#surety('init --undo', [{ sees: /answer:$/, presses: ['y', 'Enter'] }]);
    this.found.set('undo', /is out of the files of/.test(undone) ? 'taken back' : 'not taken back');
  }

  end(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #has(from: number, what: RegExp): string {
    return this.#model.sent.slice(from).some((each) => what.test(each)) ? 'seen' : 'not seen';
  }

  #loaded(from: number, id: string): string {
    return this.#client.hasHooks ? this.#has(from, framed(id)) : 'no hooks';
  }

  #refused(from: number): string {
    if (this.#client.shell === undefined) return 'no hooks';
    return this.#has(from, /they are closed to tools/) === 'seen' ? 'refused' : 'NOT REFUSED';
  }

  /** The last thing that happened to a memory, as the ledger has it. */
  #decision(id: string): string {
    const lines = this.#output('surety', 'log')
      .split('\n')
      .filter((line) => line.includes(id));
    return lines.at(-1)?.replace(/^.*→ /, '') ?? 'not there';
  }

  #output(...[program = '', ...args]: readonly string[]): string {
    const env = { ...this.#env, TERM: 'dumb' };
    return execFileSync(join(this.#home, 'bin', program), args, { cwd: this.#work, env, encoding: 'utf8' });
  }

  /** The person's own terminal; every screen of it, because the first lines are gone from the last one. */
  async #surety(words: string, habits: readonly Habit[]): Promise<string> {
    const screen = new Screen('terminal', this.#work, this.#env, ['sh', '-c', `surety ${words}; echo "ended with $?"`]);
    try {
      const last = await screen.until(/ended with \d+/, habits);
      return [...screen.seen, last].join('\n');
    } finally {
      this.#keep(screen);
    }
  }

  async #review(): Promise<void> {
    await this.#surety('review', [
      { sees: /any other key ends the review:$/, presses: ['Enter'] },
      { sees: /answer:$/, presses: ['a'] },
    ]);
  }

  async #session(work: (type: Type) => Promise<void>): Promise<void> {
    const { program, args, ready, habits } = this.#client;
    const command = [program, ...(args?.(this.#model.url) ?? [])];
    const screen = new Screen('client', this.#work, this.#env, command);
    const ended = new AbortController();
    const browser = this.#browse(ended.signal);
    try {
      await screen.until(ready, habits);
      await work(async (prompt, last) => {
        await screen.press(prompt);
        await screen.until(new RegExp(prompt.slice(0, 20).replaceAll(' ', '\\s+')));
        await sleep(1000);
        await screen.press('Enter');
        await screen.until(new RegExp(last), habits);
      });
    } finally {
      ended.abort();
      this.#keep(screen);
      await browser;
    }
  }

  /** A real browser, which says yes on each page that the client opens. */
  async #browse(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await sleep(500);
      if (!existsSync(this.#opened)) continue;
      const address = readFileSync(this.#opened, 'utf8');
      rmSync(this.#opened);
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
      const page = await browser.newPage();
      await page.goto(address);
      // The first press may only scroll to the end of a long text.
      for (let tries = 0; tries < 5 && !(await page.innerText('body')).includes('All is settled'); tries++) {
        await page.keyboard.press('a');
        await sleep(1000);
      }
      this.screens.push(`In the browser:\n${await page.innerText('body')}`);
      await browser.close();
    }
  }

  #keep(screen: Screen): void {
    this.screens.push(...screen.seen, screen.text());
    screen.close();
  }
}

/** A memory as hooks hand it to a model, inside JSON. */
function framed(id: string): RegExp {
  // Gemini CLI hands it on as HTML.
  return new RegExp(`(?:<|&lt;)memory nonce=[^>]{0,60}id=\\\\+"${id}`);
}
