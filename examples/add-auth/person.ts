// Simulates the person, who approves the three kinds of call for which cadre.yaml requires approval.
// If a crash interrupted a call, the person also decides its outcome.
// The person rejects everything else, so that an unexpected question makes the example fail.

import type { CadreClient } from "../../src/api/client/client.ts";
import type { ApprovalView, DecisionBody } from "../../src/api/client/types.ts";

export async function answerOpenItems(runId: string, client: CadreClient): Promise<void> {
  for (const item of (await client.get("/api/approvals", { run: runId })).approvals) {
    if (item.kind === "outcome")
      await client.post("/api/runs/{id}/outcome", {
        id: item.runId,
        body: { callId: item.callId!, ...verdictOn(item) },
      });
    else await client.post("/api/approvals/{id}", { id: item.id, body: decisionOn(item) });
  }
}

function decisionOn({ tool, input }: ApprovalView): DecisionBody {
  const { path, command } = input as { path?: string; command?: string };
  const isExpectedCommand = command === "git push -u origin add-auth" || command?.startsWith("gh pr create ");
  const expected = tool === "Bash" ? isExpectedCommand : path === "app.js";
  return expected
    ? { decision: "approve" }
    : { decision: "reject", note: "This example has no use for that." };
}

/** Tests change nothing, so the person lets them run again. The person cannot know whether any other command took effect. */
function verdictOn({ input }: ApprovalView): { verdict: "run_again" | "fail"; note: string } {
  const { command = "" } = input as { command?: string };
  return command.startsWith("node --test")
    ? { verdict: "run_again", note: "It only runs tests." }
    : { verdict: "fail", note: "It may have happened: look before you try again." };
}
