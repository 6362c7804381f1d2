// Sends wakes to Restate: one-way, without data, and answered when Restate has them on its disk.
//  1  Wakes of one run that come while one is being sent are one more, after it: the one under way may have been heard
//     before them.
//  2  Nothing here fails: who wakes hears what became of it, and of an outage whether it is news.

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
      /** The first failure since something was sent. */
      isNew: boolean;
      /** Restate does not know the workers. */
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
    if (!current) return begin(runId);
    current.next ??= current.now.then(() => begin(runId));
    return current.next;
  }

  function begin(runId: RunId): Promise<Sent> {
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
      return failed(`it answered ${statusCode}`, statusCode === 404);
    } catch (error) {
      return failed(describeSystemError(error), false);
    }
  }

  function failed(why: string, isUnknown: boolean): Sent {
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
