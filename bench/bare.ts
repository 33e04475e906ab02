// Starts the bare server just as src/main.ts starts ours: with compiled code kept beside it, and one import away.
import { enableCompileCache } from 'node:module';

enableCompileCache(`${import.meta.dirname}/compiled`);
await import('./bare-server.ts');
