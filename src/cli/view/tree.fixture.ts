// Builds the events of a tree of runs for tests.

import { DEFAULT_LIMITS } from "../../journal/definition.ts";
import type { EventBody, Payload } from "../../journal/events.ts";

export function runStarted(agent: string, over: Partial<Payload<"RUN_STARTED">> = {}): EventBody {
  return {
    type: "RUN_STARTED",
    payload: {
      agent,
      definition: "h",
      kind: "main",
      depth: 0,
      trigger: "user",
      task: "go",
      mode: "auto",
      attended: true,
      rootRunId: "r1",
      workspace: "/w",
      limits: DEFAULT_LIMITS,
      approvals: { onTimeout: "reject", unattended: "park" },
      ...over,
    },
  };
}

const envelope = (status: "completed" | "failed", summary: string) => ({
  status,
  summary,
  files_modified: [],
  files_created: [],
  tests_run: null,
  tests_passed: null,
  warnings: [],
  suggestions: [],
  iteration_count: 1,
  duration_ms: 1,
});

export function runEnded(status: "completed" | "failed" = "completed", summary = "It is done."): EventBody {
  const payload = {
    stopReason: status === "completed" ? ("final_answer" as const) : ("error" as const),
    summary,
    result: envelope(status, summary),
  };
  return { type: status === "completed" ? "RUN_COMPLETED" : "RUN_FAILED", payload };
}

export const childEnded = (child: string): Payload<"CHILD_RUN_COMPLETED"> => ({
  child_run_id: child,
  success: true,
  summary: "It is done.",
  key: child,
  result: envelope("completed", "It is done."),
});
