// Something that goes on only while somebody may look. A browser opens six connections to a server: tabs in the
// background that each held one would leave none for the tab in front.

/** A short look at another tab ends nothing. */
const HIDDEN_MS = 5_000;

/** Calls `follow` again whenever the page is looked at again; returns when it has come to its end by itself. */
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
