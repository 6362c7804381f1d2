// One small tree for each pattern. Suites that check the same rules for every pattern use these trees.
// If a pattern has no sample, this file does not compile.

import type { Script, ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";
import type { PatternKey } from "../../src/patterns/declarations/facts.ts";
import { controlled } from "./steps.ts";

export interface Sample {
  /** Front matter of the agent that uses the pattern, and of the other agents. */
  agent: string;
  cast: Record<string, string>;
  files?: Record<string, string>;
  script: Script;
  /** The summary of the root run if nothing goes wrong. */
  summary: string;
  /** The agents below the root with their triggers, in the order of their start. */
  family: string[];
  /** True if the pattern gives an answer even when no child can start. */
  answersAlone?: true;
}

/** The call that each agent makes in its first turn. Because of this call, every stage has more than one event. */
export type FirstCall = (agent: string) => NonNullable<ScriptedTurn["calls"]>[number];

const looking: FirstCall = (agent) => ({ tool: "look", input: { what: agent } });

const CONTROL = `
  const [first] = yield* parallel([delegate("second", "one"), delegate("third", "two")]);
  if (first.status === "failed") throw new Error(first.summary);
  yield prompt("And you?");
  const own = yield* turns();
  return own.summary;`;

type Samples = Record<PatternKey, Sample>;

export function samples(first: FirstCall = looking): Samples {
  const busy = ({ agent, turn }: ScriptedRequest): ScriptedTurn =>
    turn === 1 ? { calls: [first(agent)] } : { text: `${agent} says so` };
  return {
    handoff: {
      agent: "handoff: second",
      cast: { second: "handoff: third", third: "" },
      script: busy,
      summary: "third says so",
      family: ["second handoff", "third handoff"],
    },
    router: {
      agent: "router: { destinations: [second, third], fallback: third }",
      cast: { second: "", third: "" },
      script: (request) =>
        request.agent === "tester"
          ? {
              calls: [
                { tool: "route_to", input: { agent: request.turn === 1 ? "x" : "second", reason: "r" } },
              ],
            }
          : busy(request),
      summary: "second says so",
      family: ["second route"],
    },
    advisors: {
      agent: "advisors: { agents: [second, third], require: all }",
      cast: { second: "", third: "" },
      script: busy,
      summary: "tester says so",
      family: ["second advisor", "third advisor"],
    },
    team: {
      agent: "team: { members: [second, third], terminationMode: maxRounds, maxRounds: 2 }",
      cast: { second: "", third: "" },
      script: busy,
      summary: "tester says so",
      family: ["second team", "third team", "second team", "third team"],
      answersAlone: true,
    },
    bestOf: {
      agent: "bestOf: { n: 2, judge: third }",
      cast: { third: "" },
      script: (request) =>
        request.agent === "third" && request.turn > 1
          ? { report: { summary: "the first", output: { draft: 1, reason: "r" } } }
          : busy(request),
      summary: "tester says so",
      family: ["tester best_of", "tester best_of", "third best_of"],
    },
    steps: {
      ...controlled(CONTROL, "agents: [second, third]"),
      cast: { second: "", third: "" },
      script: busy,
      summary: "tester says so",
      family: ["second delegation", "third delegation"],
    },
  };
}
