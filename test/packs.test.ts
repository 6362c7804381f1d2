// Tests that the agents shipped with Cadre match their specifications: their tools, their limits, and the agents that they can call.
// The specifications are tables in this file. The agents are in `agents/`.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Agent } from "../src/agents/agent.ts";
import { loadAgents } from "../src/agents/load.fixture.ts";
import type { AgentSet } from "../src/agents/load.ts";
import type { Definition } from "../src/journal/definition.ts";
import { createModelNames } from "../src/models/substitute.ts";
import { builtinTools } from "../src/tools/index.ts";
import { canonicalRule } from "../src/tools/tool-names.ts";
import { bash, write } from "./support/judge.ts";

const nowhere = mkdtempSync(join(tmpdir(), "cadre-packs-"));
const builtin = fileURLToPath(new URL("../agents", import.meta.url));
const toolNames = builtinTools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]);
const models = createModelNames({
  default: "anthropic/claude-sonnet-4-5",
  aliases: {},
  providers: ["anthropic"],
  hasKey: () => true,
});

let set: AgentSet;
beforeAll(async () => {
  const folders = { project: nowhere, user: nowhere, builtin };
  set = await loadAgents(folders, { models, toolNames });
});
afterAll(() => rmSync(nowhere, { recursive: true }));

function definitionOf(name: string): Definition {
  const agent = set.agents.get(name);
  expect(
    agent?.problems.filter(({ severity }) => severity === "error"),
    name,
  ).toEqual([]);
  return agent!.definition!;
}

/** Replaces aliases in rules by Cadre's own tool names, such as `read_file` by `Read`. */
const canonical = (rules: readonly string[]) => rules.map((rule) => canonicalRule(rule, builtinTools)).sort();
const words = (text: string) => (text === "" ? [] : text.split(" "));
const minutes = (count: number) => count * 60_000;

test("the packs contain exactly these agents, and each full name consists of the pack and the agent's name", () => {
  const listed = [...set.agents.keys()].sort();
  expect(listed).toEqual(
    [
      "assistant explorer",
      "factory/fixer factory/orchestrator factory/planner factory/researcher factory/reviewer",
      "factory/supervisor factory/worker",
      "ops/coding ops/log-analyzer ops/orchestrator",
      "patterns/analyst patterns/approver patterns/billing patterns/compliance-checker patterns/decision-maker",
      "patterns/developer patterns/drafter patterns/legal-department patterns/namer patterns/naming-judge",
      "patterns/panel patterns/receptionist patterns/risk-assessor patterns/security-reviewer",
      "patterns/technical-support",
      "team/coder team/debugger team/main team/planner team/reviewer team/tester",
    ].flatMap(words),
  );
});

describe("problems in the agent files", () => {
  const worthSaying = ({ problems }: AgentSet) =>
    problems
      .filter(({ code }) => code !== "NOT_YET")
      .map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`);

  test("[28.7] every tool that an agent names exists, so the agent files have no problems", () => {
    expect(worthSaying(set)).toEqual([]);
    for (const agent of set.agents.values()) expect(agent.definition, agent.name).toBeDefined();
  });
});

test("[S0-5] the ops agents name only tools that exist", () => {
  for (const name of ["orchestrator", "coding", "log-analyzer"])
    expect(set.agents.get(`ops/${name}`)!.problems, name).toEqual([]);
});

const LOKI = "loki_query loki_labels loki_service_errors";
const SEED_TOOLS = "shell_command_execute read_file write_file find_files search_code";

/** Columns: ids, agent, tools (`*` means all), denied tools, delegates. */
const ROWS = [
  ["S0-5] [S0-9", "ops/orchestrator", "", "", "coding log-analyzer"],
  ["S0-32] [S0-40", "ops/coding", `${SEED_TOOLS} ${LOKI} restart_service`, "", ""],
  ["S0-37] [S0-54", "ops/log-analyzer", LOKI, "", ""],
  [
    "S1-1] [S1-8] [S1-25",
    "factory/orchestrator",
    "mcp__admin__* mcp__monitoring__*",
    "Bash Write Edit",
    "supervisor",
  ],
  ["S1-2] [S1-8] [S1-26", "factory/supervisor", "*", "mcp__admin__*", "worker planner reviewer researcher"],
  [
    "S1-3] [S1-8] [S1-27",
    "factory/worker",
    "Read Write Edit Bash Glob Grep mcp__git__*",
    "mcp__admin__* mcp__spawn_agent",
    "researcher",
  ],
  ["S1-4] [S1-8] [S1-28", "factory/planner", "Read Glob Grep WebFetch TodoWrite", "Write Edit Bash", ""],
  ["S1-6] [S1-8] [S1-30", "factory/researcher", "Read Glob Grep WebFetch WebSearch", "Write Edit Bash", ""],
  ["S1-7] [S1-8] [S1-31", "factory/fixer", "Read Write Edit Glob Grep", "Bash mcp__spawn_agent", ""],
] as const;

test.each(ROWS)(
  "[%s] %s has exactly the specified tools, denied tools and delegates",
  (_ids, name, allow, deny, delegates) => {
    const { tools, ...definition } = definitionOf(name);
    const pack = name.split("/")[0];
    expect(tools.allow && canonical(tools.allow)).toEqual(
      allow === "*" ? undefined : canonical(words(allow)),
    );
    expect(canonical(tools.deny)).toEqual(canonical(words(deny)));
    expect(tools.ask).toEqual([]);
    expect(definition.agents).toEqual(words(delegates).map((one) => `${pack}/${one}`));
    expect((definition.delegates ?? []).map((one) => one.name)).toEqual(words(delegates));
    expect(definition.kind).toBe(name === "factory/fixer" ? "subagent" : "main");
  },
);

test("[S0-10] [S0-41] [S0-48] [S0-56] [S0-57] ops/orchestrator delegates to one agent at a time, and has one tool for each agent", () => {
  expect(definitionOf("ops/orchestrator").delegation).toMatchObject({
    tool: "per-agent",
    mode: "sequential",
  });
  for (const name of ["ops/coding", "ops/log-analyzer"]) {
    expect(definitionOf(name).limits).toMatchObject({
      maxDuration: minutes(30),
      approvalTimeout: minutes(60),
    });
  }
});

describe("the factory pack", () => {
  test("[S1-9] [S1-23] [S1-68] the supervisor can start up to three agents in parallel, three levels deep", () => {
    const spawn = { tool: "mcp__agent__spawn" };
    expect(definitionOf("factory/supervisor")).toMatchObject({
      delegation: { ...spawn, mode: "parallel", maxParallel: 3 },
      limits: { maxDepth: 3 },
    });
    for (const name of ["orchestrator", "worker", "reviewer"])
      expect(definitionOf(`factory/${name}`).delegation).toMatchObject(spawn);
  });

  test("[S1-1] no model is allowed to start the orchestrator", () => {
    expect(definitionOf("factory/orchestrator").delegable).toBe(false);
  });

  test("[S1-22] supervisor, worker and fixer use sonnet; planner and reviewer use opus", () => {
    for (const name of ["supervisor", "worker", "fixer"])
      expect(definitionOf(`factory/${name}`).models).toEqual([models.resolve("sonnet").model]);
    for (const name of ["planner", "reviewer"])
      expect(definitionOf(`factory/${name}`).models).toEqual([models.resolve("opus").model]);
  });

  test("[S1-4] the planner drafts several plans, each with a different strategy", () => {
    const { bestOf } = definitionOf("factory/planner");
    expect(new Set(bestOf?.strategies).size).toBe(bestOf?.n);
    expect(bestOf?.n).toBeGreaterThan(1);
  });

  test("[S1-72] a plan must list the files of each subtask and the overlaps between subtasks", () => {
    const schema = z.fromJSONSchema(definitionOf("factory/planner").output as never);
    const subtask = { id: "a", title: "A", task: "Do a.", files: ["a.ts"], dependsOn: [], criteria: "green" };
    const overlaps = [{ file: "a.ts", subtasks: ["a", "b"], resolution: "a first" }];
    const plan = { goal: "g", approach: "a", subtasks: [subtask], overlaps, risks: [], questions: [] };
    expect(schema.safeParse(plan).success).toBe(true);
    const { files: _, ...homeless } = subtask;
    const { overlaps: __, ...silent } = plan;
    for (const wrong of [{ ...plan, subtasks: [homeless] }, { ...plan, subtasks: [] }, silent])
      expect(schema.safeParse(wrong).success).toBe(false);
  });
});

describe("[S1-5] [S1-8] [S1-29] the reviewer reviews code but does not change it", () => {
  const setting = () => {
    const { allow = [], deny } = definitionOf("factory/reviewer").tools;
    return { gate: { allow, deny }, person: { allow: ["Bash", "Write", "Edit"] } };
  };

  test("the reviewer has Read, Glob, Grep and Bash, but not Write or Edit, and can call the fixer", () => {
    const { tools, agents, kind } = definitionOf("factory/reviewer");
    const named = new Set(tools.allow!.map((rule) => rule.split("(")[0]));
    expect(named).toEqual(new Set(["Read", "Glob", "Grep", "Bash"]));
    expect(tools.allow!.filter((rule) => rule === "Bash")).toEqual([]);
    expect(tools.deny).toEqual(["Write", "Edit"]);
    expect({ agents, kind }).toEqual({ agents: ["factory/fixer"], kind: "main" });
  });

  test.each([
    ...["npm test", "npm test -- --grep login", "npm run test:unit"],
    ...["node --test src/a.test.js", "npx vitest run src", "pytest -q"],
  ])("the reviewer is allowed to run `%s`", (command) => {
    expect(bash(command, setting()).verdict).toBe("allow");
  });

  test.each([
    ...[
      "npm install left-pad",
      "npm run build",
      "node evil.js",
      "git commit -am done",
      "npx prettier --write .",
    ],
    ...["npm test && git push", "npm test; rm -rf .", "npm test > src/a.ts", "FOO=1 npm run deploy"],
  ])("the reviewer is not allowed to run `%s`, even if a person allows every command", (command) => {
    expect(bash(command, setting()).verdict).toBe("deny");
  });

  test("the reviewer is not allowed to write files", () => {
    expect(write("a.ts", setting()).verdict).toBe("deny");
  });
});

test.each([
  ["S2-42", "main", 50, 10, "planner coder tester reviewer debugger", "sonnet", "Main Agent"],
  ["S2-43", "coder", 30, 5, "tester", "sonnet", "Coder"],
  ["S2-44", "tester", 20, 3, "", "haiku", "Tester"],
  ["S2-45", "reviewer", 10, 2, "", "opus", "Code Reviewer"],
  ["S2-46", "planner", 15, 3, "coder tester reviewer", "opus", "Task Planner"],
  ["S2-47", "debugger", 25, 4, "", "sonnet", "Debugger"],
] as const)(
  "[%s] team/%s is limited to %i turns and %i minutes",
  (_id, name, turns, time, delegates, size, title) => {
    const agent = definitionOf(`team/${name}`);
    expect(agent).toMatchObject({
      title,
      kind: "main",
      limits: { maxTurns: turns, maxDuration: minutes(time) },
    });
    expect(agent.agents).toEqual(words(delegates).map((one) => `team/${one}`));
    expect(agent.models).toEqual([models.resolve(size).model]);
    if (delegates === "") return;
    expect(agent, "[S2-31] [S2-49] [S2-65]").toMatchObject({
      limits: { maxDepth: 2 },
      delegation: { tool: "delegate_to_agent", mode: "sequential" },
      context: "full",
    });
  },
);

test("[S2-79] each role of the team has its own icon", () => {
  const roles = [...set.agents.values()].filter(({ name }) => name.startsWith("team/"));
  expect(new Set(roles.map(({ definition }) => definition?.icon)).size).toBe(6);
});

const pack = (names: string) => words(names).map((name) => `patterns/${name}`);
const DEPARTMENTS = "legal-department technical-support billing";
const ADVISORS = "compliance-checker risk-assessor";
const MEMBERS = "analyst developer security-reviewer";

test.each<[id: string, agent: string, pattern: Partial<Definition>, leaves: string]>([
  ["S3-9", "drafter", { handoff: { agent: "patterns/approver", onFailure: "fail" } }, "approver"],
  [
    "S3-21] [S3-24",
    "receptionist",
    {
      router: { destinations: pack(DEPARTMENTS), fallback: "patterns/technical-support", allowAnswer: false },
      tools: { allow: [], ask: [], deny: [] },
      agents: [],
    },
    DEPARTMENTS,
  ],
  [
    "S3-29",
    "decision-maker",
    { advisors: { agents: pack(ADVISORS), require: "all", timeout: minutes(5) } },
    ADVISORS,
  ],
  [
    "S3-34] [S3-35] [S3-36",
    "panel",
    {
      team: {
        ...{ members: pack(MEMBERS), termination: ["consensus"], maxRounds: 4 },
        ...{ memberMaxTurns: 5, memberTimeout: minutes(5), quorum: 2 },
      },
    },
    MEMBERS,
  ],
])("[%s] patterns/%s is configured with the pattern that it demonstrates", (_id, agent, pattern, leaves) => {
  expect(definitionOf(`patterns/${agent}`)).toMatchObject({ kind: "main", ...pattern });
  for (const leaf of pack(leaves)) expect(definitionOf(leaf)).toMatchObject({ kind: "subagent", agents: [] });
});

test("patterns/namer creates three drafts, and a judge picks the best draft", () => {
  expect(definitionOf("patterns/namer").bestOf).toMatchObject({ n: 3, judge: "patterns/naming-judge" });
});

describe("prompts of the shipped agents", () => {
  const every = (): Agent[] => [...set.agents.values()];

  test("each description says when to call the agent, and is short enough for a tool description", () => {
    for (const { name, definition } of every())
      expect(definition!.description.length, name).toBeLessThan(400);
  });

  test("no prompt mentions a tool that its agent does not have", () => {
    const known = builtinTools.map((tool) => tool.name);
    for (const { name, definition } of every()) {
      const { allow } = definition!.tools;
      if (allow === undefined) continue;
      const has = new Set(canonical(allow).map((rule) => rule.split("(")[0]));
      const spoken = known.filter((tool) => definition!.prompt.includes(`\`${tool}\``) && !has.has(tool));
      expect(spoken, name).toEqual([]);
    }
  });
});
