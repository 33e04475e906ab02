/** The first use opens, all others share it; an opening that failed is tried again by the next use. */
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
