// What is told to webhooks, and how far each has been told; the receiver of traces has its place here, too. The journal says
// what there is to tell; here stands only where one is in it, so that nothing is forgotten by a crash and nothing is kept twice.
//  WH1  A webhook's place moves on in the commit that notes what came of the delivery: it is told at least once.
//  WH2  One process at a time tells a webhook; what it holds ends by itself if it is not heard of again.

import type { Position, RunId } from "../ids.ts";

export interface WebhookCursor {
  /** Everything up to here was told, or given up. */
  position: Position;
  /** Of the delivery that comes next: how often it failed, and when it is tried again. */
  attempts: number;
  retryAt: number | undefined;
}

export interface Delivery {
  webhook: string;
  /** The same at every attempt: who receives it twice knows it by this. */
  id: string;
  event: string;
  runId: RunId;
  position: Position;
  /** Of the last attempt. */
  at: number;
  attempts: number;
  outcome: "delivered" | "failed" | "given up";
  /** What the other end said, or why nothing came of it. */
  detail: string;
}

export interface Outbox {
  /** One that was never seen begins at the end of the journals. Undefined: another process has it. */
  acquire(webhook: string, holder: string, forMs: number): Promise<WebhookCursor | undefined>;
  /** Nobody waits for a process that leaves in order. */
  release(holder: string): Promise<void>;
  /** There was nothing to tell up to here. */
  advance(webhook: string, position: Position): Promise<void>;
  /** What came of an attempt; without `retryAt` the place moves on behind it. */
  record(delivery: Delivery, retryAt?: number): Promise<void>;
  cursors(): Promise<(WebhookCursor & { webhook: string })[]>;
  /** The latest first. */
  deliveries(webhook: string, limit: number): Promise<Delivery[]>;
}

/** Deliveries that are remembered of each. */
export const MAX_DELIVERIES = 100;

type Columns = Record<string, unknown>;

/** Both stores have columns of these names. */
export const readDelivery = (columns: Columns): Delivery => ({
  webhook: columns["webhook"] as string,
  id: columns["id"] as string,
  event: columns["event"] as string,
  runId: columns["run"] as string,
  position: columns["position"] as number,
  at: columns["at"] as number,
  attempts: columns["attempts"] as number,
  outcome: columns["outcome"] as Delivery["outcome"],
  detail: columns["detail"] as string,
});

export const readCursor = (columns: Columns): WebhookCursor => ({
  position: columns["position"] as number,
  attempts: columns["attempts"] as number,
  retryAt: (columns["retry_at"] ?? undefined) as number | undefined,
});
