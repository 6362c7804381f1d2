import { expect } from "vitest";
import { resultsRead, scenario, turns } from "../../../test/support/scenario.ts";
import { runDetail } from "../../api/views/run-detail.ts";
import { decideApproval } from "../commands/person-commands.ts";

const todo = (content: string, status: string, more: object = {}) => ({ content, status, ...more });
const write = (...todos: object[]) => ({ tool: "TodoWrite", input: { todos } });
const FIRST = [todo("Look", "in_progress", { activeForm: "looking" }), todo("Mend", "pending")];
const SECOND = [todo("Look", "completed"), todo("Mend", "in_progress")];

scenario(
  "[S1-28] TodoWrite: the run keeps the latest list, even after a restart; the model gets a short summary",
  { idle: true, agent: "tools: [TodoWrite]", script: turns({ calls: [write(...FIRST), write(...SECOND)] }) },
  async (world) => {
    const runId = await world.run("mend");
    expect((await world.drive(runId)).todos).toEqual(SECOND);
    expect(resultsRead(await world.events(runId))).toEqual([
      "Noted: 0 of 2 done: looking.",
      "Noted: 1 of 2 done: Mend.",
    ]);
    await world.restart({ idle: true });
    const { store } = world.runtime;
    expect((await runDetail(store, (await store.runs.get(runId))!)).todos).toEqual(SECOND);
  },
);

scenario(
  "an invalid or rejected todo list leaves the previous list in place",
  {
    idle: true,
    config: "permissions: { ask: [TodoWrite] }",
    script: turns(
      { calls: [write(...FIRST)] },
      { calls: [write(todo("Look", "done"))] },
      { calls: [write(...SECOND)] },
    ),
  },
  async (world) => {
    const runId = await world.run("mend");
    await world.drive(runId);
    const { people } = world.runtime;
    await decideApproval(`${runId}:m1.0`, { decision: "approve" }, "ann", people);
    await world.drive(runId);
    await decideApproval(`${runId}:m3.0`, { decision: "reject" }, "ann", people);
    const { end, todos } = await world.drive(runId);
    expect(end?.status).toBe("completed");
    expect(todos).toEqual(FIRST);
    expect(resultsRead(await world.events(runId))[1]).toContain("The input of TodoWrite does not fit");
  },
);
