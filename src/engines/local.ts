// The engine of one process: a queue, a limit, and nothing that outlives it.
//  1  A run is driven by at most one drive at a time.
//  2  A wake that comes while its run is driven makes one more drive after it, however many came: the drive under way
//     may have folded before the signal that the wake is about.
//  3  At most `concurrency` drives at once; the rest wait in the order of their first wake, so a start-up with
//     hundreds of runnable runs is a queue and not a stampede (F37).
//  4  After `stop` nothing begins. What was waiting is still due in the store: the next start finds it.

import type { RunId } from "../ids.ts";
import type { Drive, Engine } from "./engine.ts";

export interface LocalEngineOptions {
  concurrency: number;
  /** For a drive that broke its contract and rejected; its run is left to the due-scan. Must not throw. */
  onError: (error: unknown, runId: RunId) => void;
}

export function createLocalEngine(options: LocalEngineOptions): Engine {
  return new LocalEngine(options);
}

interface UnderWay {
  /** One per drive: listeners that a drive forgets must not gather on a signal that lives as long as the process. */
  abort: AbortController;
  returned: Promise<void>;
  wokenAgain: boolean;
}

class LocalEngine implements Engine {
  readonly shared = false;
  private readonly options: LocalEngineOptions;
  private readonly waiting = new Set<RunId>();
  private readonly underWay = new Map<RunId, UnderWay>();
  private drive: Drive | undefined;
  private stopped = false;

  constructor(options: LocalEngineOptions) {
    this.options = options;
  }

  async wake(runId: RunId): Promise<void> {
    if (this.stopped) return;
    const current = this.underWay.get(runId);
    if (current) current.wokenAgain = true;
    else this.waiting.add(runId);
    this.beginWaiting();
  }

  async start(drive: Drive): Promise<void> {
    if (this.drive || this.stopped) throw new Error("A local engine is started once: create another one.");
    this.drive = drive;
    this.beginWaiting();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting.clear();
    for (const { abort } of this.underWay.values()) abort.abort();
    await Promise.all(Array.from(this.underWay.values(), ({ returned }) => returned));
  }

  private beginWaiting(): void {
    const { drive, waiting, underWay } = this;
    if (!drive) return;
    for (const runId of waiting) {
      if (underWay.size >= this.options.concurrency) return;
      waiting.delete(runId);
      const abort = new AbortController();
      // Not in this breath: a drive that wakes its own run at once must find it under way, or it would start twice.
      const returned = Promise.resolve().then(() => this.run(runId, drive, abort.signal));
      underWay.set(runId, { abort, returned, wokenAgain: false });
    }
  }

  private async run(runId: RunId, drive: Drive, signal: AbortSignal): Promise<void> {
    try {
      if (!signal.aborted) await drive(runId, signal);
    } catch (error) {
      this.options.onError(error, runId);
    }
    const { wokenAgain } = this.underWay.get(runId)!;
    this.underWay.delete(runId);
    if (wokenAgain) await this.wake(runId);
    else this.beginWaiting();
  }
}
