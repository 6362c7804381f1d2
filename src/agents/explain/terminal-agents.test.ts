import { expect, test } from "vitest";
import { advisors, agentSet, handoff, router, type Said, team } from "../agent-set.fixture.ts";
import { isTerminal, terminalAgents } from "./terminal-agents.ts";

const bestOf = { n: 2, strategies: [] };

test.each<[string, Said, boolean]>([
  ["a plain agent", {}, true],
  ["an agent that delegates", { agents: ["b"] }, true],
  ["an agent with advisors", { advisors: advisors(["b"]) }, true],
  ["an agent that coordinates a team", { team: team(["b"]) }, true],
  ["an agent with best of n", { bestOf }, true],
  ["an agent that hands off", { handoff: handoff("b") }, false],
  ["a router", { router: router(["b"]) }, false],
  ["an agent without Finalize", { finalizes: false, agents: ["b"] }, false],
])("[S3-46] the text of %s is the final answer: %s", (_title, said, terminal) => {
  expect(isTerminal(agentSet({ a: said }).get("a")!.definition!)).toBe(terminal);
});

const short = (said: Record<string, Said>) =>
  terminalAgents(agentSet(said), "a").map(
    ({ agent, path }) => `${agent}: ${path.map(({ key, to }) => `${key} ${to}`).join(", ")}`,
  );

test.each<[string, Record<string, Said>, string[]]>([
  [
    "[S3-47] in a chain of handoffs, the last agent is the terminal agent",
    { a: { handoff: handoff("b") }, b: { handoff: handoff("c") }, c: { handoff: handoff("d") }, d: {} },
    ["d: handoff b, handoff c, handoff d"],
  ],
  [
    "a router's destinations and fallback can give the answer, and so can the router itself if `allowAnswer` is set",
    {
      a: { router: router(["b", "c"], { fallback: "d", allowAnswer: true }) },
      b: {},
      c: { handoff: handoff("d") },
      d: {},
    },
    ["a: ", "b: router b", "d: router d"],
  ],
  [
    "if a router also has a handoff, the target of the handoff gives the answer",
    { a: { router: router(["b"]), handoff: handoff("c") }, b: {}, c: { handoff: handoff("d") }, d: {} },
    ["d: handoff c, handoff d"],
  ],
  [
    "[S3-38] a team's terminal agent is its coordinator, not a member",
    { a: { team: team(["b"]) }, b: { handoff: handoff("c") }, c: {} },
    ["a: "],
  ],
  [
    "if an agent has no Finalize, its delegates give the answer",
    { a: { finalizes: false, agents: ["b", "c"] }, b: {}, c: {} },
    ["b: agents b", "c: agents c"],
  ],
  ["a missing agent ends the path", { a: { handoff: handoff("gone") } }, ["gone: handoff gone"]],
  ["a cycle has no terminal agent", { a: { handoff: handoff("b") }, b: { handoff: handoff("a") } }, []],
])("%s", (_title, said, expected) => {
  expect(short(said)).toEqual(expected);
});
