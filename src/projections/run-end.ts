import type { EventOf, StopReason } from "../journal/events.ts";
import { MOVED } from "./run-row.ts";

export interface RunEnd {
  status: "completed" | "failed" | "cancelled";
  stopReason: StopReason;
  summary: string;
  ts: number;
}

const STATUSES = {
  RUN_COMPLETED: "completed",
  RUN_FAILED: "failed",
  RUN_CANCELLED: "cancelled",
  RUN_MOVED: "cancelled",
} as const;

/** How a run ended, from the one event that says so. */
export function endOf(event: EventOf<keyof typeof STATUSES>): RunEnd {
  const { stopReason, summary } = event.type === "RUN_MOVED" ? MOVED : event.payload;
  return { status: STATUSES[event.type], stopReason, summary, ts: event.ts };
}
