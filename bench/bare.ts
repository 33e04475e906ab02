// Starts the bare server just as src/main.ts starts ours: in a script, with compiled code kept beside it.
await import('./bare-server.ts');
