// Loads the code of a page even if the server is down at first. The router reloads the browser when code cannot be
// loaded, and without a server that would end on the browser's error page. So this waits for the server and tries
// again.

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
      // The server is up but lacks this code: it has a newer version, and a reload is right.
      if (await server.answers()) throw error;
      do await new Promise((done) => setTimeout(done, server.pauseMs));
      while (!(await server.answers()));
      return load();
    });
}
