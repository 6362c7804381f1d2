import type { ToolCall } from "../projections/run-state.ts";

/** True where the call may begin now, for the first time or again. */
export function mayStart(call: ToolCall): boolean {
  const { proposal, decision, verdict } = call;
  if (!proposal || proposal.verdict === "deny") return false;
  if (proposal.verdict === "ask" && decision?.decision !== "approve" && decision?.decision !== "edit")
    return false;
  return !call.started || proposal.effect !== "unsafe" || verdict?.verdict === "run_again";
}
