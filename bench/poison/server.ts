import type { Named } from './samples.ts';

/** One thing that a reader is given, and whether the server says that nobody vouches for it. */
export interface Reading {
  readonly key: string;
  /** What is stored under the key now; null where a key belongs to one text for ever. */
  readonly text: string | null;
  readonly marked: boolean;
}

/** A fresh session. */
export interface Reader {
  /** What it is given before it asks. */
  unasked(): Promise<readonly Reading[]>;
  /** The five best for a question. */
  ask(question: string): Promise<readonly Reading[]>;
  close(): Promise<void>;
}

/** The ways in. Each returns the keys under which the texts are stored now, undefined for what was refused. */
export const WAYS = ['write', 'file', 'exchange', 'correction'] as const;
export type Way = (typeof WAYS)[number];
export type Keys = readonly (string | undefined)[];

/** A row of the board: how a session reads a store. */
export interface View {
  readonly name: string;
  reader(home: string): Promise<Reader>;
}

/** A memory server, driven by its own tools and on its own storage. */
export interface PoisonServer {
  readonly name: string;
  /** All of them read what was put in once. */
  readonly views: readonly View[];
  /** What it does not claim, in one line. */
  readonly note: string;
  /** Whether it labels what somebody vouched for. Without a label there is nothing to forge. */
  readonly labels: boolean;
  /** Puts in what is true, as trusted as this server can make it. */
  trust(home: string, truths: readonly Named[]): Promise<Keys>;
  /** Through the tool that agents write with. */
  write(home: string, texts: readonly Named[]): Promise<Keys>;
  /** Past the server, as a program of the same user. */
  file(home: string, texts: readonly Named[]): Promise<Keys>;
  /** Through import or sync; undefined where there is neither. */
  exchange?(home: string, texts: readonly Named[]): Promise<Keys>;
  /** As the correction of a memory that is there: the key of each. */
  correction(home: string, texts: readonly Named[], corrected: readonly string[]): Promise<Keys>;
}
