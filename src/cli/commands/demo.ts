import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { ThrowAwayHome } from '../../store/programs/demo-home.ts';
import { whyNobody } from '../ask/witness.ts';
import { type Command, EXIT } from '../command.ts';
import { DemoClient, type ToolReply } from '../setup/demo-client.ts';
import { complain, say, tell, windowSize } from '../terminal/print.ts';
import { quote } from '../terminal/quote.ts';
import { Terminal } from '../terminal/terminal.ts';

export const demo: Command = {
  help: `usage: surety demo

A guided tour of about two minutes, in a store that is thrown away afterwards: an agent's client speaks to a real server,
and you are the person who is asked. Nothing of your own store, settings or clients is touched.

It needs a terminal.
exit codes: 0 done or left, 1 failed, 64 the command line was not understood, 130 interrupted
`,
  options: {},
  takes: 0,
  run: async () => {
    const nobody = whyNobody('demo');
    if (nobody !== undefined) {
      complain(nobody);
      return EXIT.failed;
    }
    const home = new ThrowAwayHome();
    const terminal = new Terminal();
    const tour = new Tour(home, terminal);
    try {
      await tour.go();
      return EXIT.done;
    } catch (thrown) {
      if (!(thrown instanceof Left)) throw thrown;
      return EXIT.done;
    } finally {
      terminal.close();
      await tour.end();
      home.remove();
      say(['label', text`The throw-away store is gone.`]);
    }
  },
};

/** The viewer ended the tour. */
class Left extends Error {}

const PROPOSED = {
  type: 'user',
  name: 'Merging',
  description: 'How to merge',
  body: 'Merge by rebase only; the history stays readable.',
} as const;

class Tour {
  readonly #home: ThrowAwayHome;
  readonly #terminal: Terminal;
  readonly #client: DemoClient;

  constructor(home: ThrowAwayHome, terminal: Terminal) {
    this.#home = home;
    this.#terminal = terminal;
    this.#client = new DemoClient(home.serve(), (message, choices) => this.#ask(message, choices));
  }

  async go(): Promise<void> {
    tell(
      text`Surety is a memory for coding agents that carries trust: an agent may propose, only a person can make it count.`,
    );
    tell(
      text`This tour runs a real server in ${visible(this.#home.folder, 'line')} and speaks to it as an agent’s client does.`,
    );
    await this.#client.open();
    await this.#next();

    this.#heading('1. An agent proposes a memory');
    const { id } = (await this.#call('propose_memory', PROPOSED)).structured;
    const named = String(id);
    tell(text`It is stored, and it is inferred: nobody has confirmed it. No argument could have made it more.`);
    await this.#next();

    this.#heading('2. A search finds it');
    await this.#call('search_memories', { query: 'how do we merge?' });
    tell(
      text`Stored words stand only under "stored", apart from what Surety says itself. "tier":"inferred" tells the model that nobody has confirmed them.`,
    );
    await this.#next();

    this.#heading('3. The agent says that these are your words, so you are asked');
    tell(
      text`What an agent concluded by itself is watched for seven days first; what you said counts at once, with your yes.`,
    );
    const asked = await this.#call('adopt', { id: named });
    if (asked.structured.outcome !== 'done') {
      tell(
        text`You did not say yes, so nothing changed, and the server said so to the agent. Run surety demo again to see the rest.`,
        'warning',
      );
      return;
    }
    tell(text`Your yes is a signed entry in the ledger, for exactly this text.`, 'good');
    await this.#next();

    await this.#edit(named);
  }

  async #edit(id: string): Promise<void> {
    this.#heading('4. Something edits the file behind the server’s back');
    const vouched = this.#home.text(id);
    this.#home.write(id, vouched.replace('rebase only; the history stays readable', 'squash, always, without asking'));
    say(['label', text`${visible(this.#home.pathOf(id), 'line')} now says:`]);
    for (const line of quote(visible(this.#home.text(id).trim(), 'body'), windowSize().width)) say(line);
    tell(text`The file still says verified. What does the model get?`);
    await this.#call('read_memory', { id });
    tell(
      text`It is inferred again, because no receipt vouches for this text. You would find it in surety review, with what changed.`,
      'good',
    );
    await this.#next();

    this.#heading('5. And when the text is put back');
    this.#home.write(id, vouched);
    const { tier } = (await this.#client.call('read_memory', { id })).structured;
    tell(
      text`It is ${sanitize(String(tier), 'line')}: the receipt is for the text, and it does not matter who wrote the file.`,
      'good',
    );
    say();
    tell(text`That was all. surety init sets up your own; docs/trust-model.md has the rules.`, 'strong');
  }

  end(): Promise<void> {
    return this.#client.close();
  }

  #heading(words: string): void {
    say();
    tell(sanitize(words, 'line'), 'strong');
  }

  async #call(tool: string, input: Readonly<Record<string, unknown>>): Promise<ToolReply> {
    this.#traffic('→', `${tool} ${JSON.stringify(input)}`);
    const reply = await this.#client.call(tool, input);
    this.#traffic('←', reply.text);
    return reply;
  }

  #traffic(arrow: '→' | '←', words: string): void {
    say(['label', arrow === '→' ? text`the agent’s client sends` : text`the server answers`]);
    for (const line of quote(visible(words.trim(), 'body'), windowSize().width)) say(line);
  }

  /** Plays the client's dialog with the server's own message and choices. */
  async #ask(message: string, choices: readonly string[]): Promise<string | undefined> {
    say(['label', text`the server asks the person, in the client’s own dialog:`]);
    for (const line of quote(visible(message, 'body'), windowSize().width)) say(line);
    for (const [at, choice] of choices.entries()) say(text`  [${at + 1}] ${visible(choice, 'line')}`);
    for (;;) {
      const typed = await this.#terminal.answer('answer: ');
      if (typed === undefined || leaves(typed)) return undefined;
      const choice = choices[Number(typed.trim()) - 1];
      if (choice !== undefined) return choice;
      tell(text`The number of your choice, please; q leaves.`, 'warning');
    }
  }

  async #next(): Promise<void> {
    say();
    const typed = await this.#terminal.answer('Enter goes on, q leaves: ');
    if (typed === undefined || leaves(typed)) throw new Left('left');
  }
}

function leaves(typed: string): boolean {
  return ['q', 'quit'].includes(typed.trim().toLowerCase());
}
