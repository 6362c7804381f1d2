// The code of a page, also while the server is gone. The router reloads the browser where code cannot be loaded, and a
// browser that finds nobody stays on its own error page. So we wait until the server answers, and try once more.

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
      // It is there, and has no such code: a newer version, which only a reload brings.
      if (await server.answers()) throw error;
      do await new Promise((done) => setTimeout(done, server.pauseMs));
      while (!(await server.answers()));
      return load();
    });
}
