import { describe, expect, test } from "vitest";
import type { Definition } from "../../journal/definition.ts";
import { rulesFor } from "../../permissions/rules.ts";
import { agentSet, handoff, type Said } from "../agent-set.fixture.ts";
import { addedReach, type BlastRadiusParts, blastRadius } from "./blast-radius.ts";
import type { OfferedTool } from "./reach.ts";

const CHANGES_FILES = {
  reaches: ["files"],
  target: { kind: "path", field: "path", use: "changes" },
} as const;

const toolsWith = (hosts: readonly string[]): OfferedTool[] => [
  { name: "Read", effect: "read", reaches: [] },
  { name: "Write", effect: "idempotent", ...CHANGES_FILES },
  { name: "Edit", effect: "idempotent", ...CHANGES_FILES },
  {
    name: "Bash",
    effect: "unsafe",
    reaches: ["commands", "files", "network"],
    target: { kind: "command", field: "command" },
  },
  { name: "WebFetch", effect: "read", reaches: ["network"], hosts },
  {
    name: "mcp__mail__send",
    effect: "unsafe",
    reaches: ["commands", "files", "network"],
    hosts: ["MCP server mail"],
  },
];

const offeredOf =
  (all: readonly OfferedTool[]) =>
  ({ tools: { allow, deny } }: Definition): OfferedTool[] =>
    all.filter(
      (tool) =>
        (!allow || rulesFor(allow, "strict", tool).some((rule) => rule.names(tool.name))) &&
        !rulesFor(deny, "wide", tool).some((rule) => rule.bare),
    );

const offered = offeredOf(toolsWith(["any public host"]));

const tools = (...allow: string[]): Said => ({ tools: { allow, ask: [], deny: [] } });

function radius(said: Record<string, Said>, more: Partial<BlastRadiusParts> = {}) {
  const agents = agentSet(said);
  const boss = agents.get("boss")!.definition!;
  return blastRadius(agents.get("a")!.definition!, {
    ...{ agents, offered, limits: {}, hasPrice: () => true, deny: boss.permissions.deny },
    from: { depth: 1, maxDepth: 3, above: ["boss"] },
    atWork: [{ definition: boss, deny: boss.permissions.deny }],
    ...more,
  });
}

describe("[BR1] the blast radius", () => {
  test("the blast radius lists the tools of the agent and of all agents below it, except tools that a run above denies", () => {
    const said = {
      boss: { ...tools("Read"), agents: ["a"], permissions: { ask: [], deny: ["Bash"] } },
      a: { ...tools("Write(src/**)"), agents: ["b", "boss"], handoff: handoff("c") },
      b: tools("Write(src/**)", "Bash", "WebFetch"),
      c: { ...tools("Write(docs/**)"), permissions: { ask: [], deny: ["Write(docs/old/**)"] } },
    };
    expect(radius(said, { offered: offeredOf(toolsWith(["example.com"])) })).toEqual({
      agent: "a",
      agents: [
        { agent: "a", isNew: true },
        { agent: "b", from: "a", key: "agents", isNew: true },
        { agent: "c", from: "a", key: "handoff", isNew: true },
      ],
      levels: 1,
      powers: [
        { power: "files", isNew: true },
        { power: "network", isNew: true },
      ],
      tools: [
        {
          name: "Write",
          by: ["a", "b", "c"],
          only: ["Write(src/**)", "Write(docs/**)"],
          files: "paths",
          isNew: true,
        },
        { name: "WebFetch", by: ["b"], isNew: true },
      ],
      hosts: [{ host: "example.com", isNew: true }],
      never: [],
      runs: 22,
      turns: 2_200,
    });
  });

  test("[P12] the blast radius lists a rule that denies some calls of a tool, if the rule applies to every agent with that tool", () => {
    const deny = ["Bash(rm *)"];
    const above = { boss: { agents: ["a"], permissions: { ask: [], deny } }, a: tools("Bash") };
    expect(radius(above).never).toEqual(deny);
    const below = { boss: {}, a: { ...tools("Bash"), agents: ["b"] }, b: { permissions: { ask: [], deny } } };
    expect(radius(below).never).toEqual([]);
  });

  test("the blast radius respects the depth limit of the runs above the agent; the agents of those runs are not listed", () => {
    const said = { boss: {}, a: { agents: ["b"] }, b: { agents: ["a", "boss", "c"] }, c: {} };
    expect(radius(said, { from: { depth: 2, maxDepth: 3, above: ["boss"] } })).toMatchObject({
      agents: [{ agent: "a" }, { agent: "b" }],
      levels: 1,
    });
    expect(radius(said, { from: { depth: 3, maxDepth: 3, above: ["boss"] } }).levels).toBe(0);
  });

  test("the blast radius has a cost limit if every agent has one, or if the whole tree has one", () => {
    const agentsWith = (b: Said) => ({
      boss: {},
      a: { agents: ["b"], limits: { maxCost: 1, maxChildren: 2 } },
      b: { limits: b.limits ?? {} },
    });
    expect(radius(agentsWith({ limits: { maxCost: 0.5 } })).maxCost).toBe(2);
    expect(radius(agentsWith({}))).not.toHaveProperty("maxCost");
    expect(radius(agentsWith({}), { limits: { tree: { maxCost: 3 } } }).maxCost).toBe(3);
    expect(
      radius(agentsWith({ limits: { maxCost: 0.5 } }), { limits: { tree: { maxCost: 1.5 } } }).maxCost,
    ).toBe(1.5);
  });

  test("long lists in the blast radius are cut, and the number of omitted entries is shown", () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`x${at}`, tools("Read")]));
    const { agents, more } = radius({ boss: {}, a: { agents: Object.keys(many) }, ...many });
    expect([agents.length, more]).toEqual([100, 21]);
  });
});

describe("[BR2] which entries of the blast radius are marked as new", () => {
  const marks = (said: Record<string, Said>, more: Partial<BlastRadiusParts> = {}) => {
    const { tools: held, hosts, powers } = radius(said, more);
    return [
      ...held.flatMap(({ name, isNew }) => (isNew ? [name] : [])),
      ...hosts.flatMap(({ host, isNew }) => (isNew ? [host] : [])),
      ...powers.flatMap(({ power, isNew }) => (isNew ? [power] : [])),
    ];
  };

  test("a tool is marked as new unless a running agent may already make the same calls with it", () => {
    expect(marks({ boss: tools("Bash"), a: tools("Bash(npm test)", "WebFetch") })).toEqual(["WebFetch"]);
    expect(marks({ boss: tools("Bash(npm test)"), a: tools("Bash(npm test)") })).toEqual([]);
    expect(marks({ boss: tools("Bash(npm test)"), a: tools("Bash") })).toEqual(["Bash"]);
    expect(marks({ boss: tools("Write(src/**)"), a: tools("Edit(src/**)") })).toEqual([]);
    expect(marks({ boss: tools("Edit"), a: tools("Write") })).toEqual(["Write"]);
    expect(marks({ boss: tools("Bash"), a: tools("mcp__mail__send") })).toEqual([
      "mcp__mail__send",
      "MCP server mail",
    ]);
  });

  test("a server is marked as new, even if its tools are not known yet", () => {
    expect(marks({ boss: tools(), a: { ...tools("Read"), mcpServers: ["mail"] } })).toEqual([
      "MCP server mail",
    ]);
  });

  test("a tool is marked as new if it is denied to every agent that is already running", () => {
    const said = { boss: tools("Bash"), a: tools("Bash") };
    const boss = agentSet(said).get("boss")!.definition!;
    expect(marks(said, { atWork: [{ definition: boss, deny: ["Bash"] }] })).toEqual([
      ...["Bash", "any host"],
      ...["commands", "files", "network"],
    ]);
  });
});

test("[BR3] tools and hosts are listed if they became reachable after the person saw the request", () => {
  const of = (allow: string[], hosts = ["a.com"]) =>
    radius({ boss: {}, a: tools(...allow) }, { offered: offeredOf(toolsWith(hosts)) });
  const shown = of(["Bash(npm test)", "WebFetch"]);
  expect(addedReach(shown, of(["Bash(npm test)"]))).toEqual([]);
  expect(addedReach(shown, of(["Bash(npm test)", "Bash(npm run *)"]))).toEqual(["Bash"]);
  expect(addedReach(shown, of(["WebFetch", "Write"]))).toEqual(["Write"]);
  expect(addedReach(of(["WebFetch"]), of(["WebFetch"], ["a.com", "b.com"]))).toEqual(["b.com"]);
});
