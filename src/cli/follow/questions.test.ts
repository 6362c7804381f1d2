// Tests questions with a real API whose events arrive late: the run has made more progress than the events show.

import { expect, test } from "vitest";
import type { CadreClient } from "../../api/client/client.ts";
import {
  CLERK,
  eventsUntil,
  isEnd,
  payTool,
  serveRuntime,
  tempProject,
  waitForApprovals,
} from "../../api/fixtures/api.fixture.ts";
import { assembleRuntime } from "../../runtime/assembly.ts";
import { createLiveTree } from "../view/live/live-tree.ts";
import { createQuestions } from "./questions.ts";

test("`--yes` approves the next call, even if the journal is read slowly", async () => {
  const { folder, remove } = tempProject({ "agents/clerk.md": CLERK });
  const pay = (amount: number) => ({ calls: [{ tool: "Pay", input: { to: "ann", amount } }] });
  const { tool, paid } = payTool();
  const runtime = await assembleRuntime({
    folder,
    home: folder,
    env: {},
    tools: [tool],
    scripts: { clerk: ({ turn }) => (turn < 3 ? pay(turn) : { report: { summary: "paid" } }) },
  });
  const api = await serveRuntime(runtime, folder);
  await runtime.start();
  try {
    const { runId } = await api.client.post("/api/runs", { body: { agent: "clerk", task: "pay twice" } });
    await waitForApprovals(api, runId);
    const tree = createLiveTree();
    let read = 0;
    const readOn = async (): Promise<void> => {
      for (const event of (await api.client.events(runId)).slice(read)) tree.apply(event);
      read = (await api.client.events(runId)).length;
    };
    await readOn();
    let rests = 1;
    /** A slow client: it delays the answer to an approval until the run has asked its next question or has ended. */
    const slow: CadreClient = {
      ...api.client,
      async post(path, ...request) {
        const answer = await api.client.post(path, ...request);
        if (path !== "/api/approvals/{id}") return answer;
        rests++;
        let seen = 0;
        await eventsUntil(
          api,
          runId,
          (event) => isEnd(event) || (event.type === "RUN_SUSPENDED" && ++seen === rests),
        );
        return answer;
      },
    };
    const leaving = new AbortController().signal;
    const questions = createQuestions(slow, runId, { tree, answerer: { type: "yes" }, leaving });
    expect(await questions.check()).toBeUndefined();
    expect(paid).toHaveLength(1);
    await readOn();
    expect(await questions.check()).toBeUndefined();
    await eventsUntil(api, runId, isEnd);
    expect(paid.map(({ input }) => input.amount)).toEqual([1, 2]);
  } finally {
    await api.close();
    await runtime.stop();
    remove();
  }
});
