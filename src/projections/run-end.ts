import type { EventOf, StopReason } from "../journal/events.ts";

export interface RunEnd {
  status: "completed" | "failed" | "cancelled";
  stopReason: StopReason;
  summary: string;
  ts: number;
}

const STATUSES = { RUN_COMPLETED: "completed", RUN_FAILED: "failed", RUN_CANCELLED: "cancelled" } as const;

/** How a run ended, from the one event that says so. */
export const endOf = ({ type, payload, ts }: EventOf<keyof typeof STATUSES>): RunEnd => ({
  status: STATUSES[type],
  stopReason: payload.stopReason,
  summary: payload.summary,
  ts,
});
