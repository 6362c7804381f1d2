import { expect } from "vitest";
import { payloadsOf, promptOf, roles, scenario, turns, typesOf } from "../../test/support/scenario.ts";

scenario(
  "[S3-9] [S3-10] [S3-63] a single hop: the target gets request and answer, and its answer is returned",
  {
    agent: "handoff: approver",
    cast: { approver: "" },
    script: roles({ tester: turns({ report: { summary: "the draft", details: "in full" } }) }),
  },
  async (world) => {
    const runId = await world.run("write to the customer");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed", stopReason: "handed_off", summary: "approver is done" });
    const events = await world.events(runId);
    expect(typesOf(events)).toEqual([
      "RUN_STARTED",
      "MODEL_CALL_STARTED",
      "AGENT_THOUGHT",
      "CHILD_RUN_STARTED",
      "RUN_SUSPENDED",
      "CHILD_RUN_COMPLETED",
      "TOOL_RESULT",
      "RUN_COMPLETED",
    ]);
    const [started] = payloadsOf(events, "CHILD_RUN_STARTED");
    const child = await world.events(started!.child_run_id);
    expect(payloadsOf(child, "RUN_STARTED")[0]).toMatchObject({
      agent: "approver",
      task: "write to the customer",
      trigger: "handoff",
      reason: "handoff from tester",
    });
    const [message] = promptOf(child);
    expect(message).toMatchObject({ role: "user" });
    const text = (message!.content[0] as { text: string }).text;
    expect(text.replaceAll(/untrusted-\w+/g, "untrusted")).toBe(
      [
        "## ORIGINAL USER REQUEST\n\nwrite to the customer",
        "## RESULT FROM tester",
        `<untrusted source="tester ${runId}">\nthe draft\n\nin full\n</untrusted>`,
      ].join("\n\n"),
    );
  },
);
