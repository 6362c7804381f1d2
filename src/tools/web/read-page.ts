// Converts a page to text in a worker thread.
// A page that is designed to be slow to parse blocks only the worker thread, for a few seconds at most (A44).

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { PageSource, PageText } from "./page-text.ts";

export type PageReading = { ok: true; page: PageText } | { ok: false; why: string };

const READ_MS = 10_000;
const HEAP_MB = 512;

export async function readPage(document: PageSource, signal: AbortSignal): Promise<PageReading> {
  if (signal.aborted) return { ok: false, why: "Cancelled before the page was read." };
  const worker = new Worker(new URL(`./read-page-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: document,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const { promise, resolve } = Promise.withResolvers<PageReading>();
  const giveUp = (): void => resolve({ ok: false, why: TOO_HARD });
  const onAbort = (): void => resolve({ ok: false, why: "Cancelled before the page was read." });
  const timer = setTimeout(giveUp, READ_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  worker.on("message", (page: PageText | undefined) =>
    resolve(page === undefined ? { ok: false, why: NO_TEXT } : { ok: true, page }),
  );
  worker.on("error", giveUp);
  worker.on("exit", giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

const TOO_HARD =
  "The page is built in a way that cannot be turned into text within bounds; nothing was read. Look for the same elsewhere.";
const NO_TEXT = "What came is no text; it was not read. Look for the same as a page or a text.";
