// The engine for a single process: a queue in memory with a concurrency limit.
//  1  A run has at most one drive at a time.
//  2  A wake during a drive of its run causes exactly one more drive: the current drive might have read the journal too early.
//  3  At most `concurrency` runs are driven at the same time. The other runs queue in the order of their first wake (F37).
//  4  Nothing starts after `stop`. Queued runs are still due in the store, and the next process finds them there.

import type { RunId } from "../ids.ts";
import type { Drive, Engine } from "./engine.ts";

export interface LocalEngineOptions {
  concurrency: number;
  /** Called if a drive rejects, which should never happen. The due-scan will find the run. Must not throw. */
  onError: (error: unknown, runId: RunId) => void;
}

export function createLocalEngine(options: LocalEngineOptions): Engine {
  return new LocalEngine(options);
}

interface UnderWay {
  /** Each drive has its own controller, so that forgotten listeners don't pile up on one long-lived signal. */
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
      // Starts the drive one microtask later. If a drive immediately wakes its own run, the run must already be marked as running.
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
