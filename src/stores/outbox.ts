// The position in the journals that each webhook has reached, and its latest deliveries.
// The exporter of traces has a cursor here too. These tables contain only positions, because the events are in the journals.
//  WH1  A webhook's cursor advances in the commit that records the delivery, so each event is delivered at least once.
//  WH2  One process at a time serves a webhook. If that process stops responding, another one can take over after a while.

import type { Position, RunId } from "../ids.ts";

export interface WebhookCursor {
  /** Every event up to this position was delivered, or Cadre stopped trying to deliver it. */
  position: Position;
  /** Number of failed attempts to deliver the next event, and the time of the next attempt. */
  attempts: number;
  retryAt: number | undefined;
}

export interface Delivery {
  webhook: string;
  /** This id is the same at every attempt, so that a receiver recognises a repeated delivery. */
  id: string;
  event: string;
  runId: RunId;
  position: Position;
  /** The time of the last attempt. */
  at: number;
  attempts: number;
  outcome: "delivered" | "failed" | "given up";
  /** The receiver's answer, or the reason for the failure. */
  detail: string;
}

export interface Outbox {
  /** Starts to serve a webhook. A new webhook starts at the end of the journals. Returns undefined if another process serves it. */
  acquire(webhook: string, holder: string, forMs: number): Promise<WebhookCursor | undefined>;
  /** Releases every webhook that this process serves. */
  release(holder: string): Promise<void>;
  /** Moves the cursor past events that need no delivery. */
  advance(webhook: string, position: Position): Promise<void>;
  /** Records an attempt. If `retryAt` is absent, the cursor moves past the event. */
  record(delivery: Delivery, retryAt?: number): Promise<void>;
  cursors(): Promise<(WebhookCursor & { webhook: string })[]>;
  /** Deliveries, latest first. */
  deliveries(webhook: string, limit: number): Promise<Delivery[]>;
}
