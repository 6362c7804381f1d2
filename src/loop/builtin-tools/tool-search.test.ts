import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { notesOf, plannedServer, writePlan } from "../../../test/support/mcp-server.ts";
import {
  payloadsOf,
  promptOf,
  resultsRead,
  scenario,
  turns,
  watchCalls,
} from "../../../test/support/scenario.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { openApprovalIds } from "../../../test/support/world.ts";
import { toolCallsOf } from "../../journal/message.ts";
import type { Script } from "../../models/scripted/script.ts";
import { decideApproval } from "../commands/person-commands.ts";
import { nearestTools, type SearchableTool, searchTools } from "./declared/tool-search.ts";

const PARTS = ["order", "invoice", "customer", "parcel", "refund", "coupon"];
const VERBS = ["create", "read", "update", "delete", "list", "find", "count", "export", "archive", "print"];
const TOOLS = PARTS.flatMap((part) =>
  VERBS.map((verb) => ({
    name: `${verb}_${part}`,
    description: `${verb}s one ${part} of the shop.`,
    inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  })),
);

/** A project with a real server of 60 tools. */
function shop(script: Script, permissions: string, tools = TOOLS) {
  const plan = writePlan(join(scratchFolder("cadre-shop-"), "plan.json"), { tools });
  const servers = { shop: plannedServer(plan) };
  return {
    plan,
    options: {
      idle: true,
      agent: "mcpServers: [shop]\ntools: [Read]",
      config: `mcpServers: ${JSON.stringify(servers)}\npermissions: ${permissions}\n`,
      script,
    },
  };
}

const find = (query: string) => ({ tool: "ToolSearch", input: { query } });
const callTool = (tool: string, input: object = { id: "7" }) => ({
  tool: "mcp_call",
  input: { tool, input },
});
const called = (plan: string): string[] => notesOf(plan).filter((note) => note.startsWith("call"));

describe("an agent with 60 tools of an MCP server", () => {
  const script = turns(
    { calls: [find("count the refunds")] },
    { calls: [callTool("mcp__shop__count_refund")] },
    { text: "counted" },
  );
  const { plan, options } = shop(script, "{ allow: ['mcp__shop__*'] }");
  scenario(
    "[C17] [J12] is offered names only, finds a schema, and calls the tool; the offered tools stay the same",
    options,
    async (world) => {
      const watch = watchCalls(world, script);
      const runId = await world.run("go");
      expect((await world.drive(runId)).end).toMatchObject({ status: "completed", summary: "counted" });
      const offers = watch.all.map(({ tools }) => JSON.stringify(tools));
      expect(new Set(offers).size).toBe(1);
      const names = watch.all[0]!.tools!.map(({ name }) => name);
      expect(names).toEqual(["ToolSearch", "mcp_call", "Read"]);
      expect(offers[0]).toContain("mcp__shop__ create_order, read_order");
      expect(offers[0]).not.toContain("of the shop");
      const read = resultsRead(await world.events(runId));
      expect(read[0]).toMatch(
        /^## mcp__shop__count_refund\n.*counts one refund of the shop.*"required":\["id"\]/s,
      );
      expect(called(plan)).toEqual(["call count_refund"]);
      expect(JSON.stringify(promptOf(await world.events(runId)))).toContain('"toolName":"mcp_call"');
    },
  );
});

describe("the call of a tool that was found", () => {
  const { plan, options } = shop(
    turns({ calls: [callTool("mcp__shop__delete_order"), callTool("mcp__shop__update_order")] }),
    "{ deny: [mcp__shop__delete_order] }",
  );
  scenario("[C17] is judged, approved and journaled under the tool's own name", options, async (world) => {
    const runId = await world.run("go");
    expect((await world.drive(runId)).waitingOn).toMatchObject({ kind: "approval", items: ["m1.1"] });
    const [denied, asked] = payloadsOf(await world.events(runId), "TOOL_PROPOSED");
    expect(denied).toMatchObject({ name: "mcp__shop__delete_order", verdict: "deny" });
    expect(asked).toMatchObject({ name: "mcp__shop__update_order", verdict: "ask", effect: "unsafe" });
    expect(asked!.preview).toContain("update_order of the MCP server shop");
    const [item] = await openApprovalIds(world, runId);
    await decideApproval(item!, { decision: "approve" }, "ann", world.runtime.people);
    const state = await world.drive(runId);
    expect(state.status).toBe("completed");
    expect(called(plan)).toEqual(["call update_order"]);
    expect(state.taint.sources).toEqual(["mcp shop"]);
  });
});

describe("a wrong name", () => {
  const { plan, options } = shop(
    turns({
      calls: [
        callTool("mcp__shop__find_custommer"),
        callTool("find_customer"),
        find("fly_to_moon"),
        callTool("mcp__shop__read_order", {}),
      ],
    }),
    "{ allow: ['mcp__shop__*'] }",
  );
  scenario("[C17] is answered with the nearest names, and nothing is called", options, async (world) => {
    const runId = await world.run("go");
    await world.drive(runId);
    const read = resultsRead(await world.events(runId));
    expect(read[0]).toContain("mcp__shop__find_customer");
    expect(read[1]).toContain("mcp__shop__find_customer");
    expect(read[2]).toContain("No tool fits");
    expect(read[3]).toContain("mcp__shop__read_order does not fit");
    expect(called(plan)).toEqual([]);
  });
});

describe("an agent with 40 tools", () => {
  const { options } = shop(turns(), "{}", TOOLS.slice(0, 40));
  scenario("is offered every tool with its schema", options, async (world) => {
    const watch = watchCalls(world, turns());
    await world.drive(await world.run("go"));
    const names = watch.all[0]!.tools!.map(({ name }) => name);
    expect(names).toContain("mcp__shop__create_order");
    expect(names).not.toContain("ToolSearch");
  });
});

const tools = TOOLS.map(
  ({ name, description }): SearchableTool => ({
    ...{ name: `mcp__shop__${name}`, description, server: "shop" },
    ...{ effect: "unsafe", reaches: ["network"] },
  }),
);

test.each([
  ["mcp__shop__print_parcel", "mcp__shop__print_parcel"],
  ["print_parcel", "mcp__shop__print_parcel"],
  ["archive an invoice", "mcp__shop__archive_invoice"],
])("a search for %s finds %s first", (query, first) => {
  expect(searchTools({ query }, tools)[0]!.name).toBe(first);
});

test("a name that resembles no tool has no nearest tools", () => {
  expect(nearestTools("zzzzzz", tools)).toEqual([]);
});

test("[25.13] a name of an unknown server is compared with the names of all tools", () => {
  expect(nearestTools("mcp__lst_ordr", tools)).toEqual(["mcp__shop__list_order"]);
});

test("a call through mcp_call becomes a call of the tool that it names, even if its input is text", () => {
  const part = { type: "tool-call" as const, toolCallId: "1", toolName: "mcp_call" };
  const named = (input: unknown) =>
    toolCallsOf([{ ...part, input }]).map(({ toolName, input: own }) => [toolName, own]);
  expect(named({ tool: "mcp__a__b", input: '{"x":1}' })).toEqual([["mcp__a__b", { x: 1 }]]);
  expect(named({ tool: "mcp__a__b" })).toEqual([["mcp__a__b", {}]]);
  expect(named({ tool: "Bash", input: {} })).toEqual([["mcp_call", { tool: "Bash", input: {} }]]);
});
