import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { inHintOrder, withHints } from '../src/core/search/hint-order.ts';
import { parseWordings } from '../src/core/search/wordings.ts';
import { Disk } from '../src/store/disk/disk.ts';
import type { IndexRow } from '../src/store/index/rows.ts';
import { SearchIndex } from '../src/store/index/search-index.ts';

/** A conversation whose turns are memories, with questions and the turns that answer them. */
export interface Conversation {
  readonly conversation: string;
  readonly memories: readonly {
    id: string;
    speaker: string;
    date: string;
    text: string;
    /** Ways somebody would ask for it, as an agent wrote them with the memory. */
    asked_as?: readonly string[];
  }[];
  readonly questions: readonly {
    question: string;
    category: number;
    evidence: readonly string[];
    /** The question in other words, as an agent put it. */
    also?: readonly string[];
  }[];
}

export interface Quality {
  readonly questions: number;
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'mrr@10': number;
}

export type ByCategory = ReadonlyMap<string, Quality>;
type Ask = (question: string, also?: readonly string[]) => readonly string[];

export function readConversations(path: string): readonly Conversation[] {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** How well a way of searching finds the evidence, by each question alone; `all` and each category by itself. */
export function measure(
  conversations: readonly Conversation[],
  open: (of: Conversation) => Ask,
  { withAlso = false } = {},
): ByCategory {
  const sums = new Map<string, { n: number; five: number; ten: number; mrr: number }>();
  for (const conversation of conversations) {
    const ask = open(conversation);
    for (const { question, category, evidence, also } of conversation.questions) {
      const top = ask(question, withAlso ? also : undefined).slice(0, 10);
      const share = (k: number) => evidence.filter((id) => top.slice(0, k).includes(id)).length / evidence.length;
      const first = top.findIndex((id) => evidence.includes(id));
      for (const key of ['all', String(category)]) {
        const sum = sums.get(key) ?? { n: 0, five: 0, ten: 0, mrr: 0 };
        sum.n += 1;
        sum.five += share(5);
        sum.ten += share(10);
        sum.mrr += first < 0 ? 0 : 1 / (first + 1);
        sums.set(key, sum);
      }
    }
  }
  const quality = ({ n, five, ten, mrr }: { n: number; five: number; ten: number; mrr: number }): Quality => ({
    questions: n,
    'recall@5': five / n,
    'recall@10': ten / n,
    'mrr@10': mrr / n,
  });
  return new Map([...sums].sort(([a], [b]) => a.localeCompare(b)).map(([key, sum]) => [key, quality(sum)]));
}

/** Without and with what an agent writes for finding: other wordings of the question, hints with the memory. */
export const CELLS = ['plain', 'also', 'askedAs', 'both'] as const;
export type Cells = Readonly<Record<(typeof CELLS)[number], ByCategory>>;

/** Undefined where the file has neither. */
export function cellsOf(conversations: readonly Conversation[]): Cells | undefined {
  const has = conversations.some(({ questions, memories }) => questions[0]?.also ?? memories[0]?.asked_as);
  if (!has) return undefined;
  return {
    plain: measure(conversations, surety),
    also: measure(conversations, surety, { withAlso: true }),
    askedAs: measure(conversations, suretyWithHints),
    both: measure(conversations, suretyWithHints, { withAlso: true }),
  };
}

/** Surety's index and ranking, on a file in a temporary folder. */
export function surety(conversation: Conversation): Ask {
  return opened(conversation, false);
}

/** The same with the hints, which weigh as those of memories that nobody has verified. */
function suretyWithHints(conversation: Conversation): Ask {
  return opened(conversation, true);
}

/** A memory of the data, with a name and a description where it has some. */
type Note = Conversation['memories'][number] & { readonly name?: string; readonly about?: string };

export function indexOf(memories: readonly Note[], folder: string, withHintsIn: boolean): SearchIndex {
  const index = new SearchIndex(folder, '', new Disk());
  const row = (memory: Note): IndexRow => ({
    place: 'memories',
    stem: memory.id,
    stamp: { inode: 0n, size: 0, modified: 0n } as IndexRow['stamp'],
    id: memory.id,
    claim: null,
    digest: null,
    saying: null,
    rules: '',
    blocked: null,
    held: null,
    anchored: 0,
    seal: null,
    reading: null,
    text: {
      type: 'user',
      project: null,
      name: memory.name ?? `${memory.speaker}, ${memory.date}`,
      about: memory.about ?? '',
      body: memory.text,
      hints: withHintsIn ? (memory.asked_as ?? []) : [],
    },
  });
  index.put(memories.map(row));
  return index;
}

function opened({ memories }: Conversation, withHintsIn: boolean): Ask {
  const folder = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const index = indexOf(memories, folder, withHintsIn);
  return (question, also = []) => {
    const found = index.find(parseWordings([question, ...also]), 10);
    const order = inHintOrder(found.map((each) => ({ ...each, worth: withHints(each, false), isVerified: false })));
    return order.slice(0, 10).map(({ rowid }) => index.at(rowid)?.stem ?? '');
  };
}

const SEED_STOP_WORDS = new Set(
  'a an and are as at be been being but by can could did do does doing for from had has have having he her hers him his how i if in into is it its just like make me my no nor not of on or our out over own she should so some such than that the their them then there these they this those to too under up us very was we were what when where which while who whom why will with would you your'.split(
    ' ',
  ),
);

/** The seed's plain FTS5: its tokenizer, its query of starred words, its weights, SQLite's own bm25. */
export function seed({ memories }: Conversation): Ask {
  const db = new Database(':memory:');
  db.exec(
    `CREATE VIRTUAL TABLE texts USING fts5(title, tags, body, id UNINDEXED, tokenize="unicode61 tokenchars '_.-'")`,
  );
  const insert = db.prepare('INSERT INTO texts (title, tags, body, id) VALUES (?, ?, ?, ?)');
  for (const { id, speaker, date, text } of memories) insert.run(`${speaker}, ${date}`, '', text, id);
  const find = db
    .prepare<[string], string>(`SELECT id FROM texts WHERE texts MATCH ? ORDER BY bm25(texts, 5.0, 3.0, 1.0) LIMIT 10`)
    .pluck();
  return (question) => {
    const words = question.toLowerCase().match(/[a-z0-9][a-z0-9_.-]*[a-z0-9]|[a-z0-9]+/g) ?? [];
    const telling = words.filter((word) => word.length > 1 && !SEED_STOP_WORDS.has(word));
    return telling.length === 0 ? [] : find.all(telling.map((word) => `"${word}"*`).join(' OR '));
  };
}
