// How far each webhook has been told of the journals, and its latest deliveries. The exporter of traces has a cursor here, too.
// The journals hold the news; only positions in them are kept here, so a crash loses nothing and nothing is stored twice.
//  WH1  A webhook's cursor advances in the commit that records the delivery: each event is delivered at least once.
//  WH2  One process at a time serves a webhook. Its hold ends by itself if the process is not heard of again.

import type { Position, RunId } from "../ids.ts";

export interface WebhookCursor {
  /** Everything up to here was delivered, or given up. */
  position: Position;
  /** How often the next delivery has failed, and when it is tried again. */
  attempts: number;
  retryAt: number | undefined;
}

export interface Delivery {
  webhook: string;
  /** The same at every attempt, so that a receiver recognises a repeated delivery. */
  id: string;
  event: string;
  runId: RunId;
  position: Position;
  /** The time of the last attempt. */
  at: number;
  attempts: number;
  outcome: "delivered" | "failed" | "given up";
  /** The receiver's answer, or the reason of the failure. */
  detail: string;
}

export interface Outbox {
  /** A new webhook starts at the end of the journals. Undefined: another process holds it. */
  acquire(webhook: string, holder: string, forMs: number): Promise<WebhookCursor | undefined>;
  /** Releases everything that this process holds. */
  release(holder: string): Promise<void>;
  /** Moves the cursor over events that need no delivery. */
  advance(webhook: string, position: Position): Promise<void>;
  /** Records an attempt. Without `retryAt` the cursor advances behind it. */
  record(delivery: Delivery, retryAt?: number): Promise<void>;
  cursors(): Promise<(WebhookCursor & { webhook: string })[]>;
  /** The latest first. */
  deliveries(webhook: string, limit: number): Promise<Delivery[]>;
}
