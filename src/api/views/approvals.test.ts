// Tests the view of an approval with a real runtime: three levels of agents, real files and a real shell.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime, type RuntimeAssembly } from "../../runtime/assembly.ts";
import { overrideStore } from "../../stores/override-store.ts";
import { openSqliteStore } from "../../stores/sqlite/store.ts";
import type { Store } from "../../stores/store.ts";
import { type Api, eventsUntil, sendRequest, serveRuntime, tempProject } from "../fixtures/api.fixture.ts";
import { ApprovalView, approvalViews, EditPreview } from "./approvals.ts";

const agent = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: Does it.\nmodel: scripted/${name}\n${more}---\nDo it.\n`;

const delegate = (name: string, task: string) => ({ tool: "delegate", input: { agent: name, task } });
const done = { report: { summary: "done" } };

const scripts: Record<string, Script> = {
  lead: ({ turn }) => (turn === 1 ? { calls: [delegate("worker", "mend the parser")] } : done),
  worker: ({ turn, task }) => {
    if (turn > 1) return done;
    if (task.includes("shell"))
      return { calls: [{ tool: "Bash", input: { command: "curl https://a.test/x | tee ../x" } }] };
    return { calls: [delegate("editor", "write it down")] };
  },
  editor: ({ turn }) => {
    if (turn === 1) return { text: "I look first.", calls: [{ tool: "LS", input: { path: "." } }] };
    const edit = { path: "a.txt", old_string: "two", new_string: "2" };
    return turn === 2 ? { calls: [{ tool: "Edit", input: edit }] } : done;
  },
};

let project: ReturnType<typeof tempProject>;
let store: Store;
let runtime: RuntimeAssembly;
let api: Api;

beforeEach(async () => {
  project = tempProject({
    "agents/lead.md": agent("lead", "agents: [worker]\n"),
    "agents/worker.md": agent("worker", "agents: [editor]\n"),
    "agents/editor.md": agent("editor", "kind: subagent\n"),
    "a.txt": "one\ntwo\nthree\n",
    ".env": "API_KEY=sk-very-secret-value-1234567890\n",
  });
  const { folder } = project;
  store = openSqliteStore({ path: ":memory:", clock: systemClock });
  runtime = await assembleRuntime({ folder, home: folder, env: {}, store, scripts });
  api = await serveRuntime(runtime, folder);
  await runtime.start();
});

afterEach(async () => {
  await api.close();
  await runtime.stop();
  await store.close();
  project.remove();
});

async function firstApproval(name: string, task: string): Promise<ApprovalView> {
  const { runId } = await api.client.post("/api/runs", { body: { agent: name, task } });
  await eventsUntil(api, runId, ({ type, payload }) => {
    if (type !== "RUN_SUSPENDED") return false;
    const { kind } = payload.waitingOn;
    return kind === "approval" || kind === "child_hitl";
  });
  const [item] = (await api.client.get("/api/approvals", { run: runId })).approvals;
  return item!;
}

test("[36.11] the inbox reads the journal of a waiting run once, and reads it again only after a change", async () => {
  const item = await firstApproval("lead", "release it");
  let reads = 0;
  const counting = overrideStore(store, {
    journal: {
      read: (...given) => {
        reads++;
        return store.journal.read(...given);
      },
    },
  });
  const parts = { store: counting, people: runtime.people };
  const look = async () => approvalViews(parts, await store.inbox.openItems());
  const views = await look();
  expect(views).toMatchObject([{ id: item.id, recent: item.recent }]);
  expect(await look()).toEqual(views);
  expect(reads).toBe(1);

  await api.client.post("/api/approvals/{id}/ask", { id: item.id, body: { person: "ann" } });
  expect(await look()).toMatchObject([{ id: item.id, asked: { person: "ann" } }]);
  expect(reads).toBe(2);
});

describe("[U20] [U27] the view of an approval", () => {
  test("the view shows the agents from the root down, how many runs wait, the work done so far, and the latest events", async () => {
    const item = await firstApproval("lead", "release it");
    expect(ApprovalView.strict().parse(item)).toEqual(item);
    expect(item.trail).toEqual([
      { runId: item.rootRunId, agent: "lead", task: "release it" },
      { runId: expect.any(String), agent: "worker", task: "mend the parser" },
      { runId: item.runId, agent: "editor", task: "write it down" },
    ]);
    expect(item).toMatchObject({
      path: ["lead", "worker", "editor"],
      blocks: { runs: 3, root: true },
      spent: { run: { cost: 0, unpriced: 0 }, tree: { cost: 0, unpriced: 0 } },
      did: { turns: 2, toolCalls: 1, files: [] },
      fingerprint: expect.any(String),
    });
    expect(item.recent.map(({ kind }) => kind)).toEqual(["thought", "tool", "result"]);
  });

  test("[U24] the view explains a shell command from its recorded input", async () => {
    const item = await firstApproval("worker", "shell");
    expect(item).toMatchObject({
      blocks: { runs: 1, root: true },
      command: {
        grade: "exact",
        programs: [{ argv: ["curl", "https://a.test/x"] }, { argv: ["tee", "../x"], readOnly: false }],
        files: [{ path: "../x", use: "writes", outside: true }],
        hosts: ["a.test"],
      },
    });
    expect(item.grant).toBeUndefined();
  });

  test("[A69] [30.6] later lists of approvals reuse the explanation of a command", async () => {
    const { runId } = await firstApproval("worker", "shell");
    const parts = { store, people: runtime.people };
    const look = async () =>
      (await approvalViews(parts, await store.inbox.openItems())).find((view) => view.runId === runId)!
        .command;
    expect(await look()).toBe(await look());
  });
});

describe("[U23] previewing an edited input", () => {
  const preview = async (item: ApprovalView, input: unknown) => {
    const answer = await api.client.post("/api/approvals/{id}/preview", { id: item.id, body: { input } });
    expect(EditPreview.strict().parse(answer)).toEqual(answer);
    return answer;
  };

  test("the preview shows the whole file, and the approval stays open", async () => {
    const item = await firstApproval("lead", "release it");
    const before = await api.client.events(item.runId);
    const input = { path: "a.txt", old_string: "two", new_string: "TWO" };
    expect(await preview(item, input)).toMatchObject({
      issues: [],
      preview: expect.stringContaining("\n-two\n+TWO\n"),
      fingerprint: item.fingerprint,
      change: { before: "one\ntwo\nthree\n", after: "one\nTWO\nthree\n" },
      grant: "Edit(a.txt)",
    });
    writeFileSync(join(project.folder, "a.txt"), "two\n");
    expect((await preview(item, input)).fingerprint).not.toBe(item.fingerprint);
    expect(await api.client.events(item.runId)).toEqual(before);
  });

  test("the preview of an invalid input names the same wrong fields as the decision would", async () => {
    const item = await firstApproval("lead", "release it");
    const invalid = { path: "a.txt", old_string: 1, new_string: 2 };
    const answer = await preview(item, invalid);
    expect(answer.issues.map(({ path }) => path[0])).toEqual(["old_string", "new_string"]);
    expect(answer.preview).toBeUndefined();
    const decided = api.client.post("/api/approvals/{id}", {
      id: item.id,
      body: { decision: "edit", input: invalid },
    });
    await expect(decided).rejects.toMatchObject({ code: "UNPROCESSABLE", message: answer.problem });
  });

  test("the preview masks secrets in the file that the call would change", async () => {
    const item = await firstApproval("lead", "release it");
    const answer = await preview(item, { path: ".env", old_string: "API_KEY", new_string: "KEY" });
    expect(JSON.stringify(answer)).not.toContain("very-secret");
    expect(answer.change?.masked, "[U22] what it shows is not to be written back").toBe(true);
  });

  test('a request to preview an item that is not open is answered with "not found"', async () => {
    const item = await firstApproval("lead", "release it");
    for (const id of [`${item.runId}:m9.9`, "nonsense"]) {
      const answer = await sendRequest(api, "POST", `/api/approvals/${id}/preview`, { input: {} });
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    }
    expect((await sendRequest(api, "POST", `/api/approvals/${item.id}/preview`, { args: 1 })).status).toBe(
      400,
    );
  });
});
