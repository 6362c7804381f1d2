// The engine of a few machines: pg-boss, a queue in the database that the store is in. Workers pull, so a wake goes to
// whoever is free.
//  1  A wake is a job without data. While one waits for a run, further wakes of it are the same job; one that is under
//     way holds back none, or a worker's death would keep its runs asleep. All that are asked for while the database
//     answers are one statement: where many runs are due, the due-scan of each worker wakes all of them, every second.
//  2  A handler never fails (E4): what a drive throws is told, and its job is done with. Retries are left for one thing:
//     a worker that is not heard of any more, whose runs are delivered again.
//  3  A job lasts as long as its drive, which may be hours of steps. It is cut off after a day, through the signal.
//  4  A database that is away while it starts is waited for as the store waits for it.
//  5  However many drives a process may have, one of its slots looks for the next: a job that arrives tells everybody who
//     looks, and all but one would ask the database in vain.
//  6  `stop` takes nothing new, aborts what is under way and waits for it.

import { setImmediate as oneTurn } from "node:timers/promises";
import type { JobWithMetadata, PgBoss } from "pg-boss";
import { installHint } from "../config/install-hint.ts";
import { CadreError, messageOf } from "../errors.ts";
import type { RunId } from "../ids.ts";
import type { Drive, Engine } from "./engine.ts";

export interface PgBossEngineOptions {
  /** The address of the database that the store is in, and the store's id: several may be in one database. */
  url: string;
  storeId: string;
  /** Drives at the same time. */
  concurrency: number;
  /** Opens it, again and again for a while where the database is away: as the store does. */
  patiently(open: () => Promise<void>, isOver: () => boolean): Promise<void>;
  /** Whose wakes these are; each pool has a queue of its own. */
  pool: string;
  /** For a drive that broke its contract, and for a database that is away: it is tried again. Must not throw. */
  onError: (error: unknown, runId?: RunId) => void;
}

/** Loads the package now, so that one that is missing is heard of before anything is driven. */
export async function createPgBossEngine(options: PgBossEngineOptions): Promise<Engine> {
  const { PgBoss } = await loadPgBoss();
  return new PgBossEngine(
    new PgBoss({
      connectionString: options.url,
      application_name: "cadre-engine",
      schema: SCHEMA,
      max: MOST_CONNECTIONS,
      ...DEAD_WITHOUT_A_WORD,
      schedule: false,
      useListenNotify: true,
      superviseIntervalSeconds: LOOK_S,
      monitorIntervalSeconds: LOOK_S,
      maintenanceIntervalSeconds: KEPT_S,
    }),
    options,
  );
}

/** Beside the store's own tables, whatever schema those are in. */
const SCHEMA = "cadre_pgboss";
const MOST_CONNECTIONS = 4;
/** Of the driver below: a job that a dead connection has fetched or touched is somebody's again after this. */
const DEAD_WITHOUT_A_WORD = { query_timeout: 30_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
/** The least that pg-boss takes. With the look and the poll it makes the failover. */
const SILENT_S = 10;
const TOUCH_S = 2;
const LOOK_S = 1;
/** Its jobs do not say who had them. The dead one has been dead for longer than this, and the living say so more often. */
const DEAD_FOR_MS = 7_000;
/** NOTIFY is at once; this is for a job that was given back, which tells nobody. Its default is half a minute. */
const POLL_S = 1;
/** The most that pg-boss takes. */
const LONGEST_DRIVE_S = 24 * 60 * 60 - 1;
/** Of jobs that are done: each look counts all that are there. */
const KEPT_S = 60;
/** As often as a run may lose its worker before it is set aside (E5). */
const REDELIVERIES = 5;

class PgBossEngine implements Engine {
  readonly shared = true;
  private readonly boss: PgBoss;
  private readonly options: PgBossEngineOptions;
  private readonly queue: string;
  private readonly stopping = new AbortController();
  /** To be woken by the next statement. */
  private readonly asleep = new Set<RunId>();
  private waking: Promise<void> | undefined;
  private driving = 0;
  private looking = 0;
  private readonly leaving = new Set<Promise<void>>();
  /** An outage is told once, not by every poll. */
  private isAway = false;
  private opened: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;

  constructor(boss: PgBoss, options: PgBossEngineOptions) {
    this.boss = boss;
    this.options = options;
    this.queue = `${options.storeId}/${options.pool}`;
    boss.on("error", (error) => this.tell(error));
  }

  /** Never rejects: what it is about is written already, and the due-scan finds it. */
  wake(runId: RunId): Promise<void> {
    this.asleep.add(runId);
    this.waking ??= this.wakeAll();
    return this.waking;
  }

  private async wakeAll(): Promise<void> {
    while (this.asleep.size > 0 && !this.stopped) {
      await oneTurn();
      const jobs = [...this.asleep].map((singletonKey) => ({ singletonKey }));
      this.asleep.clear();
      try {
        await this.open();
        await this.boss.insert(this.queue, jobs);
        this.isAway = false;
      } catch (error) {
        this.tell(error);
      }
    }
    // In the same breath: a wake that comes later must find nobody at work.
    this.waking = undefined;
  }

  async start(drive: Drive): Promise<void> {
    await this.options.patiently(
      () => this.open(),
      () => this.stopped !== undefined,
    );
    await this.look(drive);
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
      // Half started, it would look after its jobs for ever, and nobody would stop it.
      await this.boss.stop({ graceful: false }).catch(() => {});
      throw error;
    }
  }

  /** Takes one job at a time, and the next at once while there is one and nobody else looks. */
  private async look(drive: Drive): Promise<void> {
    const options = {
      includeMetadata: true,
      heartbeatRefreshSeconds: TOUCH_S,
      pollingIntervalSeconds: POLL_S,
      notifyPollingIntervalSeconds: POLL_S,
    } as const;
    this.looking++;
    const slot: string = await this.boss.work(this.queue, options, async ([job]) => {
      this.looking--;
      this.driving++;
      if (this.looking === 0 && this.driving < this.options.concurrency && !this.stopped)
        await this.look(drive);
      await this.handle(job!, drive);
      this.driving--;
      if (this.looking > 0) return this.leave(slot);
      this.looking++;
      this.boss.notifyWorker(slot);
    });
  }

  /** When its job is done with. */
  private leave(slot: string): void {
    const left = this.boss.offWork(this.queue, { id: slot, wait: true });
    this.leaving.add(left);
    void left.finally(() => this.leaving.delete(left));
  }

  /** Contract: must not throw. */
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

  private tell(error: unknown): void {
    if (this.isAway || this.stopped) return;
    this.isAway = true;
    this.options.onError(error);
  }

  private async drain(): Promise<void> {
    this.stopping.abort();
    // One that is opening cannot be closed before it is open.
    if (
      (await this.opened?.then(
        () => true,
        () => false,
      )) !== true
    )
      return;
    await Promise.all([...this.leaving, this.boss.offWork(this.queue, { wait: true })]);
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
