// The engine for a few machines: pg-boss, a job queue in the same database as the store.
// Workers pull jobs, so a wake goes to a worker that is free.
//  1  A wake is a job without data. While a job for a run is queued, further wakes of that run are merged into it.
//     A new wake is not merged into a job that is already running: if the job's worker died, the wake would be lost.
//     Wakes that arrive during an insert are sent together in the next insert.
//  2  A handler never fails (E4): an error thrown by a drive is reported, and its job is completed.
//     A job is delivered again only if its worker stops sending heartbeats.
//  3  A job lasts as long as its drive, possibly for hours. After a day the job's signal aborts the drive.
//  4  If the database is unreachable at the start, the engine waits as long as the store would.
//  5  Only one slot of a process polls for the next job. A new job notifies every poller.
//     If all slots polled, only one of them would find the new job.
//  6  `stop` takes no new jobs, aborts the current drives and waits for them.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { JobWithMetadata, PgBoss } from "pg-boss";
import { installHint } from "../config/install-hint.ts";
import { CadreError, messageOf } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { Drive, Engine, SharedEngineOptions } from "./engine.ts";

export interface PgBossEngineOptions extends SharedEngineOptions {
  /** Connection string of the store's database. */
  url: string;
  /** Calls `open`. If the database is unreachable, retries for as long as the store would. */
  patiently(open: () => Promise<void>, isOver: () => boolean): Promise<void>;
}

/** Loads the package right away, so that a missing package is reported before any run is driven. */
export async function createPgBossEngine(options: PgBossEngineOptions): Promise<Engine> {
  const { PgBoss } = await loadPgBoss();
  return new PgBossEngine(
    new PgBoss({
      connectionString: options.url,
      application_name: "cadre-engine",
      schema: SCHEMA,
      max: MOST_CONNECTIONS,
      ...CONNECTION_TIMEOUTS,
      schedule: false,
      useListenNotify: true,
      superviseIntervalSeconds: LOOK_S,
      monitorIntervalSeconds: LOOK_S,
      maintenanceIntervalSeconds: KEPT_S,
    }),
    options,
  );
}

/** Database schema of pg-boss. The store's own tables are in another schema. */
const SCHEMA = "cadre_pgboss";
const MOST_CONNECTIONS = 4;
/** Options of the `pg` driver. They limit for how long a dead connection can delay the redelivery of a job. */
const CONNECTION_TIMEOUTS = { query_timeout: 30_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
/** Seconds without a heartbeat after which a job is redelivered. 10 is the minimum pg-boss allows. */
const SILENT_S = 10;
const TOUCH_S = 2;
const LOOK_S = 1;
/**
 * A redelivered job does not name its previous worker.
 * If a worker's last heartbeat is older than this time, the engine assumes that the worker is dead and might have had the job.
 */
const DEAD_FOR_MS = 7_000;
/** New jobs are announced with NOTIFY. Redelivered jobs are not, so we poll for them every second. pg-boss's default is 30 seconds. */
const POLL_S = 1;
/** The longest duration that pg-boss allows for a job. */
const LONGEST_DRIVE_S = 24 * 60 * 60 - 1;
/** Time for which completed jobs are kept. It is short, because pg-boss regularly counts all jobs. */
const KEPT_S = 60;
/** Number of times a run can lose its worker before it is quarantined (E5). The loss during the counter-check counts too. */
const REDELIVERIES = 6;

class PgBossEngine implements Engine {
  readonly shared = true;
  private readonly boss: PgBoss;
  private readonly options: PgBossEngineOptions;
  private readonly queue: string;
  private readonly stopping = new AbortController();
  /** Runs that the next insert will wake. */
  private readonly toWake = new Set<RunId>();
  private waking: Promise<void> | undefined;
  private driving = 0;
  private polling = 0;
  private readonly closing = new Set<Promise<void>>();
  /** True during an outage, so that the outage is reported once and not at every poll. */
  private isAway = false;
  private opened: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;

  constructor(boss: PgBoss, options: PgBossEngineOptions) {
    this.boss = boss;
    this.options = options;
    this.queue = `${options.storeId}/${options.pool}`;
    boss.on("error", (error) => this.reportOutage(error));
  }

  /** Never rejects: if a wake is lost, the due-scan finds its run in the store. */
  wake(runId: RunId): Promise<void> {
    this.toWake.add(runId);
    this.waking ??= this.wakeAll();
    return this.waking;
  }

  private async wakeAll(): Promise<void> {
    while (this.toWake.size > 0 && !this.stopped) {
      await nextTurn();
      const jobs = [...this.toWake].map((singletonKey) => ({ singletonKey }));
      this.toWake.clear();
      try {
        await this.open();
        await this.boss.insert(this.queue, jobs);
        this.isAway = false;
      } catch (error) {
        this.reportOutage(error);
      }
    }
    // There must be no `await` between the last check of `toWake` and this line: a later wake must start a new loop.
    this.waking = undefined;
  }

  async start(drive: Drive): Promise<void> {
    await this.options.patiently(
      () => this.open(),
      () => this.stopped !== undefined,
    );
    await this.poll(drive);
  }

  stop(): Promise<void> {
    this.stopped ??= this.drain();
    return this.stopped;
  }

  private open(): Promise<void> {
    this.opened ??= this.connect().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  private async connect(): Promise<void> {
    try {
      await this.boss.start();
      await this.boss.createQueue(this.queue, {
        policy: "short",
        notify: true,
        heartbeatSeconds: SILENT_S,
        expireInSeconds: LONGEST_DRIVE_S,
        retryLimit: REDELIVERIES,
        deleteAfterSeconds: KEPT_S,
      });
    } catch (error) {
      // If pg-boss has only partly started, it must be stopped; otherwise it would keep supervising its jobs for ever.
      await this.boss.stop({ graceful: false }).catch(() => {});
      throw error;
    }
  }

  /** Polls for a job and drives its run. Meanwhile another slot polls, if the concurrency limit allows one more drive. */
  private async poll(drive: Drive): Promise<void> {
    const options = {
      includeMetadata: true,
      heartbeatRefreshSeconds: TOUCH_S,
      pollingIntervalSeconds: POLL_S,
      notifyPollingIntervalSeconds: POLL_S,
    } as const;
    this.polling++;
    const slot: string = await this.boss.work(this.queue, options, async ([job]) => {
      this.polling--;
      this.driving++;
      if (this.polling === 0 && this.driving < this.options.concurrency && !this.stopped)
        await this.poll(drive);
      await this.handle(job!, drive);
      this.driving--;
      if (this.polling > 0) return this.closeSlot(slot);
      this.polling++;
      this.boss.notifyWorker(slot);
    });
  }

  /** Closes this slot once its job is completed. */
  private closeSlot(slot: string): void {
    const left = this.boss.offWork(this.queue, { id: slot, wait: true });
    this.closing.add(left);
    void left.finally(() => this.closing.delete(left));
  }

  /** Drives the run of a job. Never throws, because pg-boss would deliver a failed job again. */
  private async handle(
    { singletonKey, signal, retryCount }: JobWithMetadata<unknown>,
    drive: Drive,
  ): Promise<void> {
    const runId = singletonKey!;
    const until = AbortSignal.any([signal, this.stopping.signal]);
    try {
      if (!until.aborted)
        await drive(runId, until, retryCount > 0 ? { lost: { silentFor: DEAD_FOR_MS } } : {});
    } catch (error) {
      this.options.onError(error, runId);
    }
  }

  private reportOutage(error: unknown): void {
    if (this.isAway || this.stopped) return;
    this.isAway = true;
    this.options.onError(error);
  }

  private async drain(): Promise<void> {
    this.stopping.abort();
    // pg-boss cannot be stopped while it is still starting.
    const isOpen = await this.opened?.then(() => true).catch(() => false);
    if (!isOpen) return;
    await Promise.all([...this.closing, this.boss.offWork(this.queue, { wait: true })]);
    await this.boss.stop({ graceful: false });
  }
}

async function loadPgBoss(): Promise<typeof import("pg-boss")> {
  try {
    return await import("pg-boss");
  } catch (error) {
    throw new CadreError(
      "CONFIG_INVALID",
      `The engine pg-boss needs the package pg-boss, which cannot be loaded (${messageOf(error)}). Nothing was changed; install it: ${installHint("pg-boss pg")}`,
    );
  }
}
