// Tests over real HTTP that only an admin approves calls on files that decide what Cadre runs.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Script } from "../../models/scripted/script.ts";
import { assembleRuntime } from "../../runtime/assembly.ts";
import type { Role } from "../../stores/users.ts";
import { createClient } from "../client/client.ts";
import { eventsUntil, isEnd, waitForApprovals } from "../fixtures/api.fixture.ts";
import { publicProject, TOKEN } from "../fixtures/public-server.fixture.ts";

/** The task contains the call that the agent makes, as JSON. */
const clerk: Script = ({ task, turn }) =>
  turn > 1
    ? { report: { summary: "done" } }
    : { calls: [JSON.parse(task) as { tool: string; input: object }] };

let workspace = "";
const { served, problems } = publicProject(async (folder) => {
  workspace = folder;
  const text = "---\ndescription: writes\nmodel: scripted/clerk\ntools: [Write, Bash]\n---\nYou write.\n";
  writeFileSync(join(folder, "agents/writer.md"), text);
  const hooks =
    'hooks: { Stop: [{ matcher: "*", hooks: [{ command: "test -f checks/h.sh || exit 0" }] }] }\n';
  writeFileSync(join(folder, "cadre.yaml"), hooks);
  const runtime = await assembleRuntime({
    folder,
    home: join(folder, "home"),
    env: { XDG_CONFIG_HOME: folder, CADRE_TRUST: "1" },
    scripts: { clerk },
  });
  await runtime.start();
  return runtime;
});

const tokens = new Map<string, string>();
const as = (name: string) =>
  createClient({
    baseUrl: served.server.url,
    fetch: (url: string, init: RequestInit = {}) =>
      fetch(url.replace("http://cadre", served.server.url), {
        ...init,
        headers: {
          ...(init.headers as Record<string, string>),
          Authorization: `Bearer ${tokens.get(name) ?? name}`,
        },
      }),
  } as Parameters<typeof createClient>[0]);

beforeAll(async () => {
  for (const [name, role] of [
    ["oli", "operator"],
    ["ada", "admin"],
  ] satisfies [string, Role][])
    tokens.set(name, (await as(TOKEN).post("/api/users", { body: { name, role } })).token);
});

afterAll(() => expect(problems).toEqual([]));

const write = (file_path: string) => ({ tool: "Write", input: { path: file_path, content: "x\n" } });
const bash = (command: string) => ({ tool: "Bash", input: { command } });

async function ask(call: object, permissions?: object) {
  const { runId } = await as("oli").post("/api/runs", {
    body: {
      agent: "writer",
      task: JSON.stringify(call),
      attended: true,
      ...(permissions ? { permissions } : {}),
    },
  } as never);
  const [item] = await waitForApprovals({ client: as("oli") }, runId);
  return { runId, id: item!.id };
}

describe("[A81] [30.3] approval of calls on protected files", () => {
  test.each([
    ["an agent", write("agents/evil.md")],
    ["a steps module", write("agents/evil.steps.ts")],
    ["a steps module elsewhere", write("lib/flow.steps.mjs")],
    ["the configuration", write("cadre.yaml")],
    ["another spelling", write("./src/../Agents/evil.md")],
    ["the rules of another product", write(".claude/settings.json")],
    ["a command", bash("mkdir -p agents && printf x > agents/evil.md")],
    ["a command in a string", bash("sh -c 'cp notes.txt agents/evil.md'")],
    ["a command that Cadre cannot read", bash('cd agents; eval "$X" > evil.md')],
    ["a folder that is moved", bash("mv drafts agents")],
    ["a hook's script", write("checks/h.sh")],
    ["a hook's script by a command", bash("cp notes.txt checks/h.sh")],
    ["a redirection into a hook's script", bash("echo x > ./checks//h.sh")],
    ["the folder of a hook's script", bash("mv drafts checks")],
  ])("an operator cannot approve a change of %s, but an admin can", async (_, call) => {
    const { runId, id } = await ask(call);
    for (const scope of [undefined, "run", "tree"] as const)
      await expect(
        as("oli").post("/api/approvals/{id}", {
          id,
          body: { decision: "approve", ...(scope ? { scope } : {}) },
        }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/FORBIDDEN|UNPROCESSABLE/) });
    expect((await waitForApprovals({ client: as("oli") }, runId))[0]).toMatchObject({ id });
    await as("ada").post("/api/approvals/{id}", { id, body: { decision: "approve" } });
    await eventsUntil({ client: as("ada") }, runId, isEnd);
  });

  test.each([
    ["an agent", "agents/undone.md"],
    ["a steps module", "agents/undone.steps.ts"],
  ])(
    "an operator cannot take back the change of %s that an admin approved, but an admin can",
    async (_, path) => {
      const { runId, id } = await ask(write(path));
      await as("ada").post("/api/approvals/{id}", { id, body: { decision: "approve" } });
      await eventsUntil({ client: as("ada") }, runId, isEnd);
      const plan = await as("oli").get("/api/runs/{id}/undo", { id: runId });
      expect(plan.files).toMatchObject([{ path, status: "undo" }]);
      await expect(as("oli").post("/api/runs/{id}/undo", { id: runId, body: {} })).rejects.toMatchObject({
        code: "FORBIDDEN",
      });
      expect(existsSync(join(workspace, path))).toBe(true);
      await as("ada").post("/api/runs/{id}/undo", { id: runId, body: {} });
      expect(existsSync(join(workspace, path))).toBe(false);
    },
  );

  test("an operator cannot approve a harmless call with an edited input that names a protected file", async () => {
    const { runId, id } = await ask(write("notes.txt"));
    for (const call of [write("agents/other.md"), write("agents/../cadre.yaml"), write(".mcp.json")])
      await expect(
        as("oli").post("/api/approvals/{id}", { id, body: { decision: "edit", input: call.input } }),
      ).rejects.toMatchObject({ code: "FORBIDDEN" });
    await as("oli").post("/api/approvals/{id}", {
      id,
      body: { decision: "edit", input: write("b.txt").input },
    });
    await eventsUntil({ client: as("oli") }, runId, isEnd);
    expect(existsSync(join(workspace, "b.txt"))).toBe(true);
  });

  test.each([
    [write("agents/allowed.md"), "Write(agents/allowed.md)"],
    [bash("cp notes.txt agents/allowed.md"), "Bash(cp notes.txt agents/allowed.md)"],
  ])("an operator's own rules for a run never cover a protected file", async (call, rule) => {
    const { id } = await ask(call, { allow: [rule] });
    await expect(
      as("oli").post("/api/approvals/{id}", { id, body: { decision: "approve" } }),
    ).rejects.toMatchObject({ code: "FORBIDDEN" });
    await as("oli").post("/api/approvals/{id}", { id, body: { decision: "reject" } });
    expect(existsSync(join(workspace, "agents/allowed.md"))).toBe(false);
  });
});
