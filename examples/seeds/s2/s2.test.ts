// Checks from outside that the system in this folder does what document S2 says: over HTTP, with the command line, and with SQL.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { project } from "../../../src/cli/cli.fixture.ts";
import { startWire } from "../../../test/support/wire/server.ts";
import { withRealModels } from "../../shared/stage.ts";
import { type Json, type Seed, startSeed } from "../seed.fixture.ts";

let seed: Seed;
let runId: string;
beforeAll(async () => {
  seed = await startSeed("s2");
});
afterAll(() => seed[Symbol.asyncDispose]());

test("[28.18] [S2-31] [S2-47] the six roles load with their models and budgets, and no problem is reported", async () => {
  const { code, stdout } = await seed.cadre("agents", "validate", "--json");
  expect([code, stdout]).toEqual([0, expect.any(String)]);
  const { agents } = await seed.get("/api/agents");
  const own = agents.filter(({ file }: Json) => file.startsWith("appsettings.json"));
  expect(own.map(({ name }: Json) => name).sort()).toEqual([
    "coder",
    "debugger",
    "main",
    "planner",
    "reviewer",
    "tester",
  ]);
  expect(own.find(({ name }: Json) => name === "coder").description).toMatch(/^Implements features/);
});

test("[28.18] [S2-49] main delegates to the coder, and the coder delegates to the tester", async () => {
  ({ runId } = await seed.post("/api/runs", { agent: "main", task: "Add authentication to the API" }));
  const run = await seed.until(`/api/runs/${runId}`, ({ status }) => status === "completed");
  expect(run.summary).toBe("Authentication is in, with tests.");
});

test("[28.9] [S2-3] [S2-8] [S2-75] an SQL query on `messages` shows the whole hierarchy", () => {
  const rows = seed.sql(
    `SELECT m.agent_role, m.agent_depth, m.request_type, m.status, p.agent_role AS parent, m.max_iterations
     FROM messages m LEFT JOIN messages p ON p.id = m.parent_message_id ORDER BY m.id`,
  );
  expect(rows.map((row) => Object.values(row).join(" "))).toEqual([
    "main 0 prompt completed  50",
    "coder 1 delegation completed main 30",
    "coder 1 tool_call completed main 30",
    "tester 2 delegation completed coder 20",
    "tester 2 tool_call completed coder 20",
    "coder 1 tool_call completed main 30",
    "main 0 tool_call completed  50",
  ]);
});

test("[28.9] [S2-2] the session of every message has a row in `sessions`", () => {
  expect(
    seed.sql(
      "SELECT count(*) AS lost FROM messages WHERE session_id NOT IN (SELECT session_id FROM sessions)",
    ),
  ).toEqual([{ lost: 0 }]);
  expect(seed.sql("SELECT agent_role, run_count FROM sessions WHERE session_id = ?", runId)).toEqual([
    { agent_role: "main", run_count: 3 },
  ]);
});

test("[S2-13] [S2-17] [S2-18] the rows of `messages` contain the context mode, the tool calls, the changed files and the summary", () => {
  const [first, , last] = seed.sql("SELECT * FROM messages WHERE agent_role = 'coder' ORDER BY id");
  expect(first).toMatchObject({ context_mode: "full", files_modified_json: '["JwtMiddleware.cs"]' });
  expect(JSON.parse(first!["tool_calls_json"])).toMatchObject([{ name: "Write" }]);
  expect(last!["response_summary"]).toContain("JWT middleware");
  expect(readFileSync(join(seed.folder, "JwtMiddleware.cs"), "utf8")).toContain("JwtMiddleware");
});

test("[28.9] [S2-12] `request_content` is what the model was sent, with criteria, files and the document's name of the tool", () => {
  const [coder] = seed.sql("SELECT request_content FROM messages WHERE agent_role = 'coder' ORDER BY id");
  expect(coder!["request_content"]).toContain(
    "Add JWT middleware.\n\nSuccess criteria: The tests pass.\n\nFiles to look at: Program.cs",
  );
  const [main] = seed.sql("SELECT request_content FROM messages WHERE agent_role = 'main' ORDER BY id DESC");
  const result = JSON.parse(main!["request_content"].replace("[result of delegate_to_agent] ", ""));
  expect(result).toMatchObject({
    summary: "Created the JWT middleware. The tester says that all tests pass.",
    ...{ files_modified: ["JwtMiddleware.cs"], files_created: ["JwtMiddleware.cs"], details: "" },
    ...{ iteration_count: 3, child_run_id: expect.any(String) },
  });
});

test("[28.9] [S2-18] a row also lists the files that a command changed", async () => {
  const permissions = { preset: "trusted" };
  const started = await seed.post("/api/runs", { agent: "coder", task: "Build it", permissions });
  await seed.until(`/api/runs/${started.runId}`, ({ status }) => status === "completed");
  const [row] = seed.sql("SELECT * FROM messages WHERE run_id = ? ORDER BY id", started.runId);
  expect(JSON.parse(row!["files_modified_json"]).sort()).toEqual(["Program.cs", "made.txt"]);
  expect(row!["duration_ms"]).toBe(Date.parse(row!["completed_at"]) - Date.parse(row!["started_at"]));
});

test("[S2-54] [S2-63] the parent's model reads the child's result in the form that document S2 describes", async () => {
  const { messages } = await seed.get(`/api/runs/${runId}/context`);
  const text = JSON.stringify(messages).replaceAll("\\", "");
  for (const key of ["summary", "details", "files_modified", "files_created", "tests_run", "warnings"])
    expect(text).toContain(`"${key}":`);
  expect(text).toContain('"status": "completed"');
  expect(text).toContain('"iteration_count": 3');
});

test("[S2-44] if a role that may not delegate tries to, the call is refused", () => {
  const [row] = seed.sql(
    "SELECT request_content FROM messages WHERE agent_role = 'tester' AND request_type = 'tool_call'",
  );
  expect(row!["request_content"]).toMatch(/delegate_to_agent/);
  expect(seed.sql("SELECT count(*) AS runs FROM runs WHERE root = ?", runId)).toEqual([{ runs: 3 }]);
});

test("[28.18] [S2-36] with the real models that cadre.yaml names, each role reaches the model of its provider", async () => {
  await using wire = await startWire(({ system, turn }) => {
    const isMain = JSON.stringify(system).includes("You lead the work on this project");
    const role = isMain ? ["coder", "tester", "reviewer", "planner"][turn - 1] : undefined;
    const call = { call: "delegate_to_agent", input: { role, task: "Say hello." } };
    return { parts: [role === undefined ? { text: "Hello." } : call] };
  });
  const at = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
  const roles = ["coder", "debugger", "main", "planner", "reviewer", "tester"].map(
    (name) => `prompts/roles/${name}.md`,
  );
  const providers = `providers:
  openrouter: { type: openai-compatible, baseURL: "${wire.url}/openrouter/v1", apiKeyEnv: KEY }
  deepseek: { type: openai-compatible, baseURL: "${wire.url}/deepseek/v1", apiKeyEnv: KEY }
  anthropic: { type: anthropic, baseURL: "${wire.url}/v1", apiKeyEnv: KEY }
`;
  await using p = await project({
    "cadre.yaml": withRealModels(at("cadre.yaml")) + providers,
    ...Object.fromEntries(["appsettings.json", ...roles].map((file) => [file, at(file)])),
  });
  Object.assign(p.env, { CADRE_TRUST: "1", KEY: "k" });
  const { code, stdout } = await p.cadre("run", "main", "Say hello");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Hello.")]);
  expect(wire.requests.flatMap(({ rejections }) => rejections)).toEqual([]);
  expect(new Set(wire.requests.map(({ model }) => model))).toEqual(
    new Set(["qwen/qwen3-coder-30b-a3b-instruct", "deepseek-chat", "deepseek-reasoner", "claude-opus-4-5"]),
  );
});

test("[28.18] [S2-49] the delegation tool has the document's descriptions", async () => {
  const { stdout } = await seed.cadre("agents", "prompt", "main");
  expect(stdout).toContain("Delegate a specialized task to a sub-agent with a specific role.");
});

test("[28.18] the README's own command line works in the reader's shell", async () => {
  expect(await seed.readme()).toMatchObject({ code: 0 });
});
