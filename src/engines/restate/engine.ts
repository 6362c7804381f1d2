// The engine for a fleet. Restate delivers a wake to one of many workers.
// If that worker dies, Restate delivers the wake to another worker.
// Restate stores nothing about a run: a wake has no data, and its handler records only which worker took it.
//  1  Handlers of the same run can overlap, so no wake queues behind a frozen worker. The store's epoch stops a second driver.
//  2  Each worker has a local queue that merges wakes: queued wakes of the same run share one drive and one invocation.
//  3  The handler never fails (E4). It calls Restate only before the drive begins, so a replay cannot diverge.
//  4  While Restate is unreachable, a worker that wakes a run also drives that run.
//     The load is not spread over the workers, but no run is lost.
//  5  Before a worker's lease expires, its runs are taken over only if the worker's process has certainly ended.

import type { ObjectSharedContext } from "@restatedev/restate-sdk";
import { installHint } from "../../config/install-hint.ts";
import { CadreError, messageOf } from "../../errors.ts";
import type { RunId } from "../../ids.ts";
import type { Delivery, Drive, Engine, SharedEngineOptions } from "../engine.ts";
import { createLocalEngine } from "../local.ts";
import { createIngress, type Ingress } from "./ingress.ts";
import { type Listening, listen } from "./listen.ts";
import { type Registration, register } from "./register.ts";
import { isGone, type Taken } from "./worker-is-gone.ts";

export interface RestateEngineOptions extends SharedEngineOptions {
  /** URL of Restate's ingress, which accepts wakes. */
  ingress: string;
  /** URL of Restate's admin API, where workers are registered. */
  admin: string;
  /** Address on which this worker listens. */
  listen: { host: string; port: number };
  /** URL of the load balancer through which Restate reaches the workers. If absent, Restate calls this worker only. */
  workers?: string | undefined;
  /** Public keys of the Restate servers that are allowed to call this worker. If empty, every caller is allowed. */
  identity?: readonly string[];
  /** The name of this worker. The store's leases use the same name. */
  worker: string;
}

/** Loads the package right away, so that a missing package is reported before any run is driven. */
export async function createRestateEngine(options: RestateEngineOptions): Promise<Engine> {
  return new RestateEngine(options, await loadSdk());
}

/** A drive can take hours, so Restate's timeouts must not end it. Only the worker or an expired lease ends a drive. */
const LONGEST_DRIVE_MS = 24 * 60 * 60 * 1_000;
/** Restate drops a wake that no worker takes within about half a minute. The due-scan finds the run long before that. */
const RETRIES = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: 1_000,
  maxAttempts: 30,
  onMaxAttempts: "kill",
} as const;

/** A Restate invocation that stays open until its drive has returned. */
interface OpenInvocation {
  /** Dead workers that accepted a wake of this run earlier. */
  from: Set<string>;
  returned: PromiseWithResolvers<void>;
}

class RestateEngine implements Engine {
  readonly shared = true;
  private readonly options: RestateEngineOptions;
  private readonly sdk: Sdk;
  private readonly service: string;
  private readonly local: Engine;
  private readonly ingress: Ingress;
  private readonly waiting = new Map<RunId, OpenInvocation>();
  private server: Listening | undefined;
  private registration: Registration | undefined;
  private stopped: Promise<void> | undefined;

  constructor(options: RestateEngineOptions, sdk: Sdk) {
    this.options = options;
    this.sdk = sdk;
    this.service = `cadre-${options.storeId}-${options.pool}`;
    this.local = createLocalEngine(options);
    this.ingress = createIngress(options.ingress, this.service);
  }

  async wake(runId: RunId): Promise<void> {
    if (this.stopped || this.waiting.has(runId)) return;
    const sent = await this.ingress.send(runId);
    if (sent === "sent" || this.stopped) return;
    if (sent.isUnknown) this.registration?.again();
    else if (sent.isNew) this.options.onError(sent.error);
    if (this.server) await this.local.wake(runId);
  }

  async start(drive: Drive): Promise<void> {
    if (this.server || this.stopped) throw new Error("A Restate engine is started once: create another one.");
    await this.local.start((runId, signal) => this.drive(runId, signal, drive));
    const { listen: at, worker, admin, workers, onError } = this.options;
    this.server = await listen(at, { worker, handler: this.endpoint() });
    this.registration = register({ admin, address: workers ?? this.server.address, onError });
    await this.registration.first;
  }

  stop(): Promise<void> {
    this.stopped ??= this.drain();
    return this.stopped;
  }

  private endpoint() {
    const { sdk, options } = this;
    const drive = sdk.handlers.object.shared(
      {
        inactivityTimeout: LONGEST_DRIVE_MS,
        abortTimeout: LONGEST_DRIVE_MS,
        // Unless both retention times are 0, Restate keeps completed invocations for a day.
        journalRetention: 0,
        idempotencyRetention: 0,
        retryPolicy: RETRIES,
      },
      (context: ObjectSharedContext) => this.handle(context),
    );
    const { identity = [] } = options;
    return sdk.createEndpointHandler({
      services: [sdk.object({ name: this.service, handlers: { drive } })],
      ...(identity.length > 0 ? { identityKeys: [...identity] } : {}),
      logger: () => {},
    });
  }

  private async handle(context: ObjectSharedContext): Promise<void> {
    const { worker } = this.options;
    // The first worker that receives the invocation writes this record. After a redelivery, the next worker reads the record.
    const me: Taken = { worker, ...this.server!.reachedAt() };
    const taken = await context.run("taken", () => me);
    const from = taken.worker !== worker && (await isGone(taken, worker)) ? [taken.worker] : [];
    await this.waitForDrive(context.key, from);
  }

  /** Resolves when the drive has returned. Resolves immediately if another invocation already waits for the same drive. */
  private async waitForDrive(runId: RunId, from: readonly string[]): Promise<void> {
    const other = this.waiting.get(runId);
    if (other) {
      for (const worker of from) other.from.add(worker);
      return;
    }
    const invocation: OpenInvocation = { from: new Set(from), returned: Promise.withResolvers() };
    this.waiting.set(runId, invocation);
    await this.local.wake(runId);
    if (this.stopped) this.completeAll();
    await invocation.returned.promise;
  }

  private async drive(runId: RunId, signal: AbortSignal, drive: Drive): Promise<void> {
    const invocation = this.waiting.get(runId);
    this.waiting.delete(runId);
    try {
      await drive(runId, signal, deliveryOf(invocation));
    } finally {
      invocation?.returned.resolve();
    }
  }

  private async drain(): Promise<void> {
    await this.registration?.stop();
    this.server?.refuse();
    await this.local.stop();
    this.completeAll();
    await this.server?.close();
    await this.ingress.close();
  }

  /** Completes the open invocations. Their runs are still due in the store, where other workers find them. */
  private completeAll(): void {
    for (const { returned } of this.waiting.values()) returned.resolve();
    this.waiting.clear();
  }
}

const deliveryOf = (invocation: OpenInvocation | undefined): Delivery => ({
  lost: invocation && { workers: [...invocation.from] },
});

type Sdk = typeof import("@restatedev/restate-sdk");

async function loadSdk(): Promise<Sdk> {
  try {
    return await import("@restatedev/restate-sdk");
  } catch (error) {
    throw new CadreError(
      "CONFIG_INVALID",
      `The engine restate needs the package @restatedev/restate-sdk, which cannot be loaded (${messageOf(error)}). Nothing was changed; install it: ${installHint("@restatedev/restate-sdk")}`,
    );
  }
}
