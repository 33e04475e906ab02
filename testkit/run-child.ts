// Starts child.ts just as main.ts starts the program: in a script, with compiled code kept beside it.
import type { Order } from './child.ts';

const { run } = await import('./child.ts');
await run(JSON.parse(process.argv[2] ?? '') as Order);
