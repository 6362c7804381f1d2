// Tests the permissions of the seven roles of `factory`: their tools, and the verdict on each call if the project has no rules.
// `–` means that the role is not offered the tool, and that Cadre refuses calls of the tool.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Effect } from "../src/journal/definition.ts";
import type { Payload } from "../src/journal/events.ts";
import { declaredTool } from "../src/loop/builtin-tools/declared/index.ts";
import { callEffect, judgeCall } from "../src/loop/calls/judge.ts";
import { resolveLimits } from "../src/loop/commands/admit.ts";
import { offeredTools } from "../src/loop/model/call-model.ts";
import { emptyRunState } from "../src/projections/folds/run-state.ts";
import { type AnyTool, defineTool } from "../src/tools/tool.ts";
import { makeWorld, type World } from "./support/world.ts";

const stub = (name: string, effect: Effect, reaches: AnyTool["reaches"] = []): AnyTool =>
  defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    effect,
    reaches,
    execute: async () => ({ output: "" }),
  });

const CALLS = {
  Read: ["Read", { path: "a.ts" }],
  Write: ["Write", { path: "a.ts", content: "" }],
  Edit: ["Edit", { path: "a.ts", old_string: "a", new_string: "b" }],
  Glob: ["Glob", { pattern: "*" }],
  Grep: ["Grep", { pattern: "a" }],
  ls: ["Bash", { command: "ls" }],
  tests: ["Bash", { command: "npm test -- --run" }],
  other: ["Bash", { command: "npm install x" }],
  both: ["Bash", { command: "npm test && npm install x" }],
  fetch: ["WebFetch", { url: "https://a.test" }],
  search: ["WebSearch", { query: "a" }],
  todo: ["TodoWrite", { todos: [] }],
  git: ["mcp__git__commit", { message: "m", paths: ["a"] }],
  runs: ["mcp__admin__list_runs", {}],
  cancel: ["mcp__admin__cancel_run", { run_id: "r" }],
  health: ["mcp__monitoring__health", {}],
  spawn: ["mcp__agent__spawn", {}],
} as const;

type Column = keyof typeof CALLS;

const HEAD =
  "          Read  Write Edit  Glob  Grep  ls    tests other both  fetch search todo git   runs  cancel health spawn";
const TABLE = `
orchestrator    –     –     –     –     –     –     –     –     –     –     –      –    –     allow ask    allow  yes
supervisor      allow ask   ask   allow allow allow ask   ask   ask   allow allow  allow ask  –     –      –      yes
worker          allow ask   ask   allow allow allow ask   ask   ask   –     –      –    ask   –     –      –      yes
planner         allow –     –     allow allow –     –     –     –     allow –      allow –    –     –      –      –
reviewer        allow –     –     allow allow deny  ask   deny  deny  –     –      –    –     –     –      –      yes
researcher      allow –     –     allow allow –     –     –     –     allow allow  –    –     –     –      –      –
fixer           allow ask   ask   allow allow –     –     –     –     –     –      –    –     –     –      –      –`;

const IDS: Record<string, string> = {
  orchestrator: "S1-1] [S1-25",
  supervisor: "S1-2] [S1-26",
  worker: "S1-3] [S1-27",
  planner: "S1-4] [S1-28",
  reviewer: "S1-5] [S1-29",
  researcher: "S1-6] [S1-30",
  fixer: "S1-7] [S1-31",
};

let world: World;
beforeAll(async () => {
  world = await makeWorld({
    script: () => ({ text: "" }),
    idle: true,
    env: { CADRE_TRUST: "1", ANTHROPIC_API_KEY: "not a key" },
    more: [stub("WebFetch", "read"), stub("WebSearch", "read")],
  });
});
afterAll(() => world.close());

async function viewOf(role: string) {
  const { parts } = world.runtime;
  const definition = await parts.findAgent(`factory/${role}`);
  const limits = resolveLimits({}, definition.limits, {});
  const start = { task: "t", depth: 0, attended: false, workspace: world.folder, limits } as unknown;
  return { definition, state: { ...emptyRunState(), start: start as Payload<"RUN_STARTED"> } };
}

describe.each(
  TABLE.trim()
    .split("\n")
    .map((line) => line.split(/\s+/)),
)("%s", (role, ...cells) => {
  const columns = HEAD.trim().split(/\s+/) as Column[];
  test.each(columns.map((column, index) => [column, cells[index]!] as const))(
    `[${IDS[role!]}] ${role}, call "%s": the expected verdict is "%s"`,
    async (column, expected) => {
      const { parts } = world.runtime;
      const [name, input] = CALLS[column];
      const view = await viewOf(role!);
      const offered = offeredTools(view, parts).some((tool) => tool.name === name);
      if (expected === "–" || column === "spawn") {
        expect(offered).toBe(expected === "yes");
        return;
      }
      expect(offered).toBe(true);
      const effect = declaredTool(name)?.effect ?? callEffect(parts.tools.get(name)!, input, parts).effect;
      expect(judgeCall({ name }, input, effect, [], view, parts).verdict).toBe(expected);
    },
  );
});

test("[S1-24] [S1-32] [S1-79] calls of a tool that a role is not offered are denied, even if the project allows everything", async () => {
  const { parts } = world.runtime;
  const everything = [
    { source: "project", rules: { allow: ["*"], ask: [], deny: [], preset: "trusted" as const } },
  ];
  for (const line of TABLE.trim().split("\n")) {
    const [role, ...cells] = line.split(/\s+/);
    const view = await viewOf(role!);
    for (const [index, [name, input]] of Object.values(CALLS).entries()) {
      // The supervisor has no tool list, so it is not offered tools that an agent must name. Such a call is refused before any rule is checked.
      const isRefusedBefore = role === "supervisor" && name === "mcp__monitoring__health";
      if (cells[index] !== "–" || name === "mcp__agent__spawn" || isRefusedBefore) continue;
      const judged = judgeCall({ name }, input, "read", [], view, { ...parts, authority: () => everything });
      expect(judged.verdict, `${role} ${name}`).toBe("deny");
    }
  }
});
