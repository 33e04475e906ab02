import type { Interpreter, InterpreterThread, NamedBytes } from './interpreter-thread.ts';

/** Null where the system allows no other thread; this one then reads everything. */
export async function startedThread<File extends NamedBytes>(
  interpreter: Interpreter,
): Promise<InterpreterThread<File> | null> {
  try {
    const { InterpreterThread } = await import('./interpreter-thread.ts');
    return new InterpreterThread(interpreter);
  } catch {
    return null;
  }
}
