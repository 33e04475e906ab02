/** Opens at the first use and shares the result. If opening fails, the next use tries again. */
export function lazily<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined;
  return () => {
    opened ??= open().catch((reason) => {
      opened = undefined;
      throw reason;
    });
    return opened;
  };
}
