import type { ImportLook } from '../../actions/exchange/import.ts';
import type { Recognized } from '../../actions/exchange/import-pieces.ts';
import type { Refusal } from '../../core/refusal.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import type { Loaded } from '../../store/vault/vault.ts';
import { EXIT } from '../command.ts';
import type { Style } from '../terminal/line.ts';
import { printJson, say, tell } from '../terminal/print.ts';

const KINDS: Record<Recognized['kind'], readonly [one: string, of: string]> = {
  'claude-code-memory': ['Claude Code memory folder', 'file'],
  'codex-memories': ['folder of Codex memories', 'file'],
  'agent-instructions': ['set of instructions for agents', 'file'],
  'cursor-rules': ['set of Cursor rules', 'file'],
  'basic-memory': ['folder of basic-memory notes', 'file'],
  markdown: ['folder of markdown files', 'file'],
  'claude-mem': ['database of claude-mem', 'memory'],
  mem0: ['list of mem0 memories', 'memory'],
  'knowledge-graph': ['knowledge graph of the reference memory server', 'entity'],
};

/** What a single file of a kind is called where the kind is called a folder. */
const SINGLE: Partial<Record<Recognized['kind'], string>> = {
  'claude-code-memory': 'file of a Claude Code memory folder',
  'codex-memories': 'file of Codex memories',
  'basic-memory': 'basic-memory note',
  markdown: 'markdown file',
};

const OF_ONE_PROJECT: ReadonlySet<Recognized['kind']> = new Set([
  'claude-code-memory',
  'agent-instructions',
  'cursor-rules',
]);

/** What an import did or would do: counts for a person, everything for a program. Holds no texts. */
export class ImportReport {
  readonly #found: Recognized;
  readonly #project: string | undefined;
  readonly #around: string | undefined;
  readonly #path: string;
  readonly #new: { from: string; id: string; proposed: string; held: boolean }[] = [];
  readonly #returns: { from: string; id: string }[] = [];
  readonly #here: { from: string; id: string }[] = [];
  readonly #refused: { from: string; code: string; why: string }[] = [];
  readonly #skipped: { from: string; why: string }[] = [];
  #verified = 0;
  #inferred = 0;
  #held = 0;

  /** `around`: the project of the repository that the source lies in. */
  constructor(found: Recognized, path: string, project: string | undefined, around: string | undefined) {
    this.#found = found;
    this.#path = path;
    this.#project = project;
    this.#around = around;
  }

  /** Documented in the help. */
  get code(): number {
    return this.#refused.length > 0 ? EXIT.failed : EXIT.done;
  }

  announce(): void {
    const { kind, size, isOneFile } = this.#found;
    const [what, each] = KINDS[kind];
    const many = size === 1 ? `one ${each}` : `${size} ${each.replace(/y$/, 'ie')}s`;
    const described = (isOneFile && SINGLE[kind]) ?? `${what}: ${many}`;
    tell(text`${visible(this.#path, 'line')} is a ${sanitize(described, 'line')}.`, 'strong');
    if (kind === 'claude-mem')
      tell(
        text`Each belongs to the folder it names; --project owner/name takes those of a folder called name for it.`,
        'label',
      );
    if (OF_ONE_PROJECT.has(kind) && this.#project === undefined)
      tell(
        text`It belongs to one project; --project ${visible(this.#around ?? 'owner/name', 'line')} keeps what comes from it to that project.`,
        'label',
      );
  }

  /** Counts a piece that was looked at; if nothing was asked, it was also handled. */
  add(look: ImportLook): void {
    const { label: from } = look;
    if (look.kind === 'new') {
      const { proposed, held, plan } = look;
      this.#new.push({ from, id: plan.newFile.id, proposed, held });
    } else if (look.kind === 'returns') this.#returns.push({ from, id: look.id });
    else if (look.kind === 'here') this.#here.push({ from, id: look.id });
    else if (look.kind === 'refused') this.#refused.push({ from, code: look.code, why: look.sentence });
    else this.#skipped.push({ from, why: look.why });
  }

  taken({ standing, held }: Loaded): void {
    if (standing.tier === 'verified') this.#verified += 1;
    else this.#inferred += 1;
    if (held.length > 0) this.#held += 1;
  }

  refuse(from: string, { code, message }: Refusal): void {
    this.#refused.push({ from, code, why: message });
  }

  print(): void {
    const { kind, size } = this.#found;
    printJson({
      source: kind,
      size,
      new: this.#new,
      returns: this.#returns,
      here: this.#here,
      refused: this.#refused,
      skipped: this.#skipped,
    });
  }

  /** Prints what would be done. */
  tellPreview(): void {
    for (const { from, id, proposed, held } of this.#new) {
      say([proposed === 'verified' ? 'good' : 'label', sanitize(proposed.padEnd(10), 'body')], sanitize(id, 'line'));
      tell(text`          from ${visible(from, 'line')}${sanitize(held ? ', held: suspicious' : '', 'body')}`, 'label');
    }
    const back = this.#returns.length;
    tell(
      sanitize(
        `${this.#new.length} new, ${back === 0 ? '' : `${back} known by their receipts, `}${this.#rest()}`,
        'line',
      ),
    );
    this.#listOthers();
    tell(text`Nothing was changed. Without --dry-run each new one is shown whole and asked about.`);
  }

  /** Prints what was done; correct at any time, because a person may stop halfway. */
  tell(reviewedWith: string, { isStopped = false } = {}): void {
    const held = this.#held === 0 ? '' : ` (${this.#held} held as suspicious)`;
    const done = `${this.#verified} verified, ${this.#inferred} inferred${held}`;
    tell(sanitize(`Imported: ${done}. Not imported: ${this.#rest()}`, 'line'), 'strong');
    this.#listOthers();
    if (isStopped) tell(text`The rest was not imported; the same command goes on with it.`);
    if (this.#inferred > 0)
      tell(
        text`Agents find the inferred ones, marked as unconfirmed. ${sanitize(reviewedWith, 'line')} asks about them, and your yes verifies one.`,
      );
  }

  #rest(): string {
    return `${this.#here.length} here already, ${this.#refused.length} refused, ${this.#skipped.length} skipped.`;
  }

  #listOthers(): void {
    const list = (word: string, style: Style, from: string, why: string) =>
      tell(text`${sanitize(word, 'line')} ${visible(from, 'line')}: ${sanitize(why, 'line')}`, style);
    for (const { from, why } of this.#refused) list('refused', 'danger', from, why);
    for (const { from, why } of this.#skipped) list('skipped', 'warning', from, why);
  }
}
