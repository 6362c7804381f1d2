// Sends wakes to Restate, as one-way calls without data. Restate answers once it has stored a wake on disk.
//  1  While a wake is being sent, further wakes of its run are merged into one wake, which is sent afterwards.
//  2  `send` never rejects. Its result says whether the wake was sent and, after a failure, whether an outage has just begun.

import { Pool } from "undici";
import { CadreError, describeSystemError } from "../../errors.ts";
import type { RunId } from "../../ids.ts";

export interface Ingress {
  send(runId: RunId): Promise<Sent>;
  close(): Promise<void>;
}

export type Sent =
  | "sent"
  | {
      error: CadreError;
      /** True for the first failure after a successful send. */
      isNew: boolean;
      /** True if no workers are registered with Restate. */
      isUnknown: boolean;
    };

interface Sending {
  now: Promise<Sent>;
  next?: Promise<Sent>;
}

const CONNECTIONS = 16;
const PATIENCE_MS = 5_000;

export function createIngress(url: string, service: string): Ingress {
  const timeouts = { headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS, connectTimeout: PATIENCE_MS };
  const pool = new Pool(new URL(url).origin, { connections: CONNECTIONS, ...timeouts });
  const sending = new Map<RunId, Sending>();
  let isAway = false;

  function send(runId: RunId): Promise<Sent> {
    const current = sending.get(runId);
    if (!current) return startSending(runId);
    current.next ??= current.now.then(() => startSending(runId));
    return current.next;
  }

  function startSending(runId: RunId): Promise<Sent> {
    const entry: Sending = { now: post(runId) };
    sending.set(runId, entry);
    void entry.now.then(() => !entry.next && sending.delete(runId));
    return entry.now;
  }

  async function post(runId: RunId): Promise<Sent> {
    try {
      const path = `/${service}/${encodeURIComponent(runId)}/drive/send`;
      const { statusCode, body } = await pool.request({ method: "POST", path });
      await body.dump();
      if (statusCode < 300) {
        isAway = false;
        return "sent";
      }
      return recordFailure(`it answered ${statusCode}`, statusCode === 404);
    } catch (error) {
      return recordFailure(describeSystemError(error), false);
    }
  }

  function recordFailure(why: string, isUnknown: boolean): Sent {
    const isNew = !isAway;
    isAway = true;
    const error = new CadreError(
      "ENGINE_AWAY",
      `Restate took no wake (${why}). Nothing is lost: until it does, workers drive what they find.`,
    );
    return { error, isNew, isUnknown };
  }

  return { send, close: () => pool.destroy() };
}
