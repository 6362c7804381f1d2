// A browser has six connections to a server, for all of its tabs: tabs that nobody looks at must not hold one each, or
// the seventh shows nothing and says nothing.

/** Does it while the tab is in sight, again each time that it comes back, until it comes to its end by itself. */
export async function whileSeen(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    if (document.hidden) {
      await nextChange(signal);
      continue;
    }
    const hidden = new AbortController();
    const onChange = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", onChange);
    await work(AbortSignal.any([signal, hidden.signal])).finally(() =>
      document.removeEventListener("visibilitychange", onChange),
    );
    if (!hidden.signal.aborted) return;
  }
}

function nextChange(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      document.removeEventListener("visibilitychange", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done);
  });
}
