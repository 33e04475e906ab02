import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CLIENTS, type Home, makeHome } from '../../testkit/clients.ts';
import { prepare, sharedEnv } from '../../testkit/prepared.ts';
import type { TestStore } from '../../testkit/store.ts';

let home: Home;
let store: TestStore;
beforeEach(async () => {
  home = makeHome();
  store = await prepare(home);
});
afterEach(() => home.remove());

/** Words that stand nowhere but in the quarantined memory. */
const MARKS = ['zyxname', 'zyxdescription', 'zyxtag', 'zyxproject', 'zyxbody', 'zyxreason'];

describe.each(CLIENTS)('$client', ({ connect }) => {
  test('nothing of a quarantined memory but id, reason code and dates leaves the server, whatever is asked', async () => {
    const id = await store.propose('harmless name', {
      name: 'About zyxname',
      description: 'zyxdescription',
      tags: ['zyxtag'],
      project: 'zyxproject',
      body: 'The zyxbody must never be read by a model again, at all.',
    });
    const renamed = id.replace('zyxname', 'hidden');
    await store.decide('demote', id, 'because of zyxreason');
    const client = await connect({
      home,
      env: sharedEnv(home),
      person: () => ({ action: 'accept', content: { answer: 'yes' } }),
    });
    const asks: [string, Record<string, unknown>][] = [
      ['search_memories', { query: 'zyxbody zyxname zyxtag' }],
      ['search_memories', { query: 'harmless', project: 'zyxproject' }],
      ['read_memory', { id }],
      ['adopt', { id }],
      ['promote', { id }],
      ['demote', { id }],
      ['reaffirm', { id }],
      ['restore', { id, reason: 'please' }],
      ['review_queue', {}],
      [
        'propose_memory',
        {
          type: 'user',
          name: 'Again',
          description: 'x',
          body: 'The zyxbody must never be read by a model again, at all.',
        },
      ],
    ];
    for (const [tool, input] of asks) await client.callTool(tool, input);
    const uris = [
      'memory://verified',
      `memory://verified/${id}`,
      'memory://context',
      'memory://review',
      'memory://status',
    ];
    for (const uri of uris) await client.readResource(uri).catch(() => undefined);
    await client.listResources();
    await client.listTemplates();
    await client.complete('memory://verified/{id}', 'id', 'user').catch(() => undefined);
    await client.getPrompt('memory-review', {}).catch(() => undefined);
    await store.propose('another one');
    await client.callTool('review_queue', {});
    await client.close();
    // The id was made from the name and may be told; the rest may not.
    const said = `${client.server.stdout.join('\n')}\n${client.server.stderr}`.replaceAll(id, renamed);
    for (const mark of MARKS) expect(said, mark).not.toContain(mark);
    expect(said).toContain(renamed);
  });
});
