// The engine of a fleet: Restate carries a wake to one of many workers, holds it while that worker drives, and gives it
// to another one when the worker dies. It remembers nothing of a run: a wake has no data, its handler records one fact.
//  1  The handler is shared, not exclusive: nothing queues behind a worker that is frozen. The store's epoch is the fence.
//  2  A worker's own queue joins wakes: those that wait for the same run are one drive, and one held invocation.
//  3  The handler never fails (E4), and asks Restate for nothing after it began to drive, so no replay can differ.
//  4  While Restate is away, runs are driven where they are woken. Losing it costs the spread, not the runs.
//  5  A run is taken from a worker before its lease runs out only if that worker's process is known to be gone.

import type { ObjectSharedContext } from "@restatedev/restate-sdk";
import type { RunId } from "../../ids.ts";
import type { Delivery, Drive, Engine } from "../engine.ts";
import { createLocalEngine } from "../local.ts";
import { createIngress, type Ingress } from "./ingress.ts";
import { type Listening, listen } from "./listen.ts";
import { loadSdk, type Sdk } from "./load-sdk.ts";
import { type Registration, register } from "./register.ts";
import { isGone, type Taken } from "./worker-is-gone.ts";

export interface RestateEngineOptions {
  /** Where wakes are sent. */
  ingress: string;
  /** Where the workers are made known. */
  admin: string;
  /** Where this worker listens. */
  listen: { host: string; port: number };
  /** Where Restate reaches the workers: the balancer before them. Absent: this worker alone. */
  workers?: string | undefined;
  /** Public keys of the Restate that may call; none: whoever reaches the address. */
  identity?: readonly string[];
  /** As in the store's leases. */
  worker: string;
  /** Several may be in one Restate. */
  storeId: string;
  /** Whose wakes these are; each pool has a service of its own. */
  pool: string;
  /** Drives at the same time. */
  concurrency: number;
  /** For a drive that broke its contract, and once for each outage of Restate. Must not throw. */
  onError: (error: unknown, runId?: RunId) => void;
}

/** Loads the package now, so that one that is missing is heard of before anything is driven. */
export async function createRestateEngine(options: RestateEngineOptions): Promise<Engine> {
  return new RestateEngine(options, await loadSdk());
}

/** A drive may be hours of steps, each of ten minutes and more: what ends it is its worker, or the lease. */
const LONGEST_DRIVE_MS = 24 * 60 * 60 * 1_000;
/** A wake that nobody takes in about half a minute is dropped: the due-scan has found its run long before. */
const RETRIES = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: 1_000,
  maxAttempts: 30,
  onMaxAttempts: "kill",
} as const;

/** An invocation that is held until the drive that it waits for has returned. */
interface Held {
  /** The workers that had wakes of it before and are gone. */
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
  private readonly waiting = new Map<RunId, Held>();
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
        // Both, or what is done stays for a day.
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
    // By the first worker that gets the invocation; whoever gets it later reads it.
    const me: Taken = { worker, ...this.server!.reachedAt() };
    const taken = await context.run("taken", () => me);
    const from = taken.worker !== worker && (await isGone(taken, worker)) ? [taken.worker] : [];
    await this.hold(context.key, from);
  }

  /** Returns when the drive has, or at once where another invocation waits for the same drive. */
  private async hold(runId: RunId, from: readonly string[]): Promise<void> {
    const other = this.waiting.get(runId);
    if (other) {
      for (const worker of from) other.from.add(worker);
      return;
    }
    const held: Held = { from: new Set(from), returned: Promise.withResolvers() };
    this.waiting.set(runId, held);
    await this.local.wake(runId);
    if (this.stopped) this.letGo();
    await held.returned.promise;
  }

  private async drive(runId: RunId, signal: AbortSignal, drive: Drive): Promise<void> {
    const held = this.waiting.get(runId);
    this.waiting.delete(runId);
    try {
      await drive(runId, signal, deliveryOf(held));
    } finally {
      held?.returned.resolve();
    }
  }

  private async drain(): Promise<void> {
    await this.registration?.stop();
    this.server?.refuse();
    await this.local.stop();
    this.letGo();
    await this.server?.close();
    await this.ingress.close();
  }

  /** Their runs are due in the store: others find them. */
  private letGo(): void {
    for (const { returned } of this.waiting.values()) returned.resolve();
    this.waiting.clear();
  }
}

const deliveryOf = (held: Held | undefined): Delivery => ({ lost: held && { workers: [...held.from] } });
