// npm run bench:tokens [-- --engineering FILE]: what the tool list and a search cost a model in tokens (o200k)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { built } from '../testkit/built.ts';
import { type Answer, Wire } from '../testkit/wire.ts';
import { surety } from './contestants.ts';
import { inHome } from './measures.ts';

const { values } = parseArgs({
  options: {
    engineering: { type: 'string', default: join(import.meta.dirname, '../../shared/data/engineering.json') },
  },
});

/** At most 100 tokens a hit, because a search of five hits is read in full by the model that asked. */
const MOST_A_HIT = 100;

interface Sample {
  readonly memories: readonly { readonly text: string }[];
  readonly questions: readonly { readonly question: string }[];
}

const encoder = new Tiktoken(o200k);
const tokens = (text: string) => encoder.encode(text).length;
const say = (line: string) => process.stdout.write(`${line}\n`);
const [sample] = JSON.parse(readFileSync(values.engineering, 'utf8')) as [Sample];
const bin = built();

await inHome(async (home) => {
  const wire = await Wire.open(surety(bin.main).start(home));
  const list = resultOf(await wire.ask('tools/list', {})) as { tools: Record<string, unknown>[] };
  const inputs = list.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  say(`tool list: ${tokens(JSON.stringify(inputs))} tokens of names, descriptions and input schemas`);
  for (const [at, { text }] of sample.memories.entries()) {
    // The first two sentences of each text are its name and its description.
    const [, name = `Memory ${at}`, description = 'One line', body = text] = /^(.+?)\. (.+?)\. (.+)$/s.exec(text) ?? [];
    await wire.mustCall('propose_memory', { type: 'project', project: 'me/shop', name, description, body });
  }
  const hits: number[] = [];
  const whole: number[] = [];
  for (const { question } of sample.questions) {
    const { structuredContent } = (await wire.mustCall('search_memories', { query: question.slice(0, 400) })) as {
      structuredContent: { hits: unknown[] };
    };
    for (const hit of structuredContent.hits) hits.push(tokens(JSON.stringify(hit)));
    if (structuredContent.hits.length === 5) whole.push(tokens(JSON.stringify(structuredContent)));
  }
  await wire.close();
  say(`a hit: ${spread(hits)} tokens, ${hits.length} hits`);
  say(`a result with five hits: ${spread(whole)} tokens, ${whole.length} results`);
  const over = hits.filter((each) => each > MOST_A_HIT).length;
  say(`${over === 0 ? 'met' : 'MISSED'}: at most ${MOST_A_HIT} tokens a hit; ${over} of ${hits.length} have more`);
  return undefined;
});
bin.remove();

function resultOf(answer: Answer): unknown {
  if (answer.kind !== 'said') throw new Error(`not answered: ${answer.kind}`);
  return answer.result;
}

function spread(of: readonly number[]): string {
  const sorted = of.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`;
}
