// The error that `await run` throws if a run ended without an answer.

import type { ResultEnvelope, StopReason } from "../journal/events.ts";

export class RunFailed extends Error {
  override readonly name = "RunFailed";
  readonly runId: string;
  readonly status: "failed" | "cancelled";
  /** Why the run ended: `provider`, `budget`, `max_turns`, `user` … */
  readonly stopReason: StopReason;
  /** Everything that the run reported, such as the files that it changed before it failed. */
  readonly result: ResultEnvelope | undefined;

  constructor(ended: Pick<RunFailed, "runId" | "status" | "stopReason" | "result"> & { message: string }) {
    super(ended.message);
    this.runId = ended.runId;
    this.status = ended.status;
    this.stopReason = ended.stopReason;
    this.result = ended.result;
  }
}
