import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { openSqlite } from '../disk/sqlite.ts';

const SCHEMA = 'CREATE TABLE uses (id TEXT PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID';
const DAY_MS = 86_400_000;
/** How long uses are gathered before they are written down. */
const GATHER_MS = 3_000;
const FILE = 'uses.db';

/** On which day each memory was last found or read by an agent, as far as this machine knows. */
export interface Known {
  /** The first day anything was written down; undefined when nothing was. */
  readonly since: number | undefined;
  readonly last: ReadonlyMap<string, number>;
}

/**
 * Which memories agents find and read: ids and days, nothing else. It lies in the cache, since nothing rests on it; what
 * cannot be written down is forgotten without a word, and whoever is served never waits for it.
 */
export class Uses {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #now: () => number;
  readonly #gathered = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(cacheFolder: string, disk: Disk, now: () => number) {
    this.#folder = cacheFolder;
    this.#disk = disk;
    this.#now = now;
  }

  note(ids: readonly string[]): void {
    const day = Math.floor(this.#now() / DAY_MS);
    for (const id of ids) this.#gathered.set(id, day);
    if (this.#timer !== undefined || this.#gathered.size === 0) return;
    process.once('exit', this.writeDown);
    this.#timer = setTimeout(this.writeDown, GATHER_MS).unref();
  }

  /** Writes down what was gathered; called by the clock, and when the process ends. */
  readonly writeDown = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.off('exit', this.writeDown);
    const uses = [...this.#gathered];
    this.#gathered.clear();
    if (uses.length === 0) return;
    try {
      this.#disk.makeFolder(this.#folder);
      const db = openSqlite(join(this.#folder, FILE), 200);
      try {
        db.pragma('synchronous = OFF');
        db.transaction(() => {
          db.exec(SCHEMA.replace('TABLE', 'TABLE IF NOT EXISTS'));
          const put = db.prepare(
            'INSERT INTO uses VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET day = max(day, excluded.day)',
          );
          // The first day of all is kept under no id.
          db.prepare('INSERT OR IGNORE INTO uses VALUES (?, ?)').run('', uses[0]?.[1]);
          for (const [id, day] of uses) put.run(id, day);
        }).immediate();
      } finally {
        db.close();
      }
    } catch {
      // Busy, full, damaged or not ours: none of it is worth a word to an agent that asked for something else.
    }
  };

  known(): Known {
    const path = join(this.#folder, FILE);
    if (!this.#disk.exists(path)) return { since: undefined, last: new Map() };
    try {
      const db = openSqlite(path, 200);
      try {
        const rows = db.prepare<[], { id: string; day: number }>('SELECT id, day FROM uses').all();
        const days = new Map(rows.map(({ id, day }) => [id, Number(day) * DAY_MS]));
        const since = days.get('');
        days.delete('');
        return { since, last: days };
      } finally {
        db.close();
      }
    } catch {
      return { since: undefined, last: new Map() };
    }
  }
}
