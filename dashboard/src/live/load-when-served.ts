// Loads the code of a page even if the server is down at first.
// If the code cannot be loaded, the router reloads the browser. If the server is down, the browser then shows its own error page.
// To avoid that error page, `loadWhenServed` waits for the server and tries again.

const PAUSE_MS = 500;

export interface Server {
  answers(): Promise<boolean>;
  pauseMs: number;
}

const OURS: Server = {
  answers: () =>
    fetch("/healthz").then(
      () => true,
      () => false,
    ),
  pauseMs: PAUSE_MS,
};

export function loadWhenServed<T>(load: () => Promise<T>, server: Server = OURS): () => Promise<T> {
  return () =>
    load().catch(async (error: unknown) => {
      // If the server responds but does not have this code, the server has a newer version. The router should reload the browser.
      if (await server.answers()) throw error;
      do await new Promise((done) => setTimeout(done, server.pauseMs));
      while (!(await server.answers()));
      return load();
    });
}
