// The request that a tab keeps open, on which it learns that the page has ended or that its server is gone.

/** @type {EventSource | undefined} */
let stream;
export const rest = () => {
  stream?.close();
  stream = undefined;
};

/**
 * Watches while the tab is on the screen and the page is not over.
 * @param {() => boolean} isOver
 * @param {() => void} lost
 * @param {Record<string, (event: MessageEvent<string>) => void>} news
 */
export const watchServer = (isOver, lost, news = {}) => {
  const watch = () => {
    if (stream || isOver() || document.hidden) return;
    let failures = 0;
    const watched = new EventSource('watch');
    stream = watched;
    watched.onopen = () => {
      failures = 0;
    };
    watched.onerror = () => {
      if (watched.readyState === EventSource.CLOSED || ++failures > 1) lost();
    };
    for (const [name, heard] of Object.entries(news)) watched.addEventListener(name, heard);
    watched.addEventListener('rest', rest);
  };
  document.addEventListener('visibilitychange', watch);
  addEventListener('pagehide', rest);
  addEventListener('pageshow', watch);
  watch();
};
