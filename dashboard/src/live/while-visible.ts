// Follows a stream only while the page is visible. A browser opens six connections per server, and hidden tabs must
// leave them to the visible one.

/** A tab hidden for less than this keeps its stream. */
const HIDDEN_MS = 5_000;

/** Calls `follow` again whenever the page becomes visible; returns when `follow` ends on its own. */
export async function whileVisible(
  signal: AbortSignal,
  follow: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await visible(signal);
    const hidden = new AbortController();
    const stopWatching = onHidden(() => hidden.abort());
    try {
      await follow(AbortSignal.any([signal, hidden.signal]));
    } finally {
      stopWatching();
    }
    if (!hidden.signal.aborted) return;
  }
}

function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

function onHidden(stop: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}
