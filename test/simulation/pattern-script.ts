// The scripted answers of agents that use patterns. Most answers are valid. The rest cover every mistake that a model can make.
// The random choices depend only on the position in the run, so a repeated model call gets the same answer.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";
import { callPlan, type RunPlan } from "./options.ts";
import { type Random, seededRandom } from "./random.ts";

type Calls = NonNullable<ScriptedTurn["calls"]>;

export interface Offered {
  names: ReadonlySet<string>;
  /** The drafts from which a judge can choose. */
  drafts: readonly number[] | undefined;
}

export function offeredIn({ tools = [] }: LanguageModelV4CallOptions): Offered {
  const report = tools.find(({ name }) => name === "final_report") as { inputSchema?: unknown } | undefined;
  const schema = report?.inputSchema as ReportSchema | undefined;
  return {
    names: new Set(tools.map(({ name }) => name)),
    drafts: schema?.properties?.output?.properties?.draft?.enum,
  };
}

interface ReportSchema {
  properties?: { output?: { properties?: { draft?: { enum?: number[] } } } };
}

/** Returns the answer of an agent that has a role in a pattern. Returns undefined for any other agent. */
export function speakInPattern(
  plan: RunPlan,
  request: ScriptedRequest,
  { names, drafts }: Offered,
): ScriptedTurn | undefined {
  const { runId, turn, attempt, purpose, round } = request;
  const random = seededRandom(plan.voice! + hashOf(`${runId} ${turn} ${attempt} ${purpose}`));
  const place = { random, word: (index: number) => `«${runId.slice(-6)}.${round}.${turn}.${index}»` };
  const usage = { input: random.between(50, 600), output: random.between(5, 80) };
  if (attempt < 3 && random.chance(0.06))
    return random.chance(0.7) ? { error: "network" } : { error: { status: 400, message: "no such thing" } };
  if (purpose === "turn" && turn < 6 && random.chance(0.12)) {
    const { tool, what } = callPlan(random, place.word(9));
    return { calls: [{ tool, input: { what } }], usage };
  }
  const answer = (() => {
    if (names.has("route_to")) return routerTurn(place, plan.patterns?.router?.destinations ?? []);
    if (names.has("vote_conclude")) return memberTurn(place);
    if (names.has("conclude_team")) return coordinatorTurn(place, plan);
    return drafts && judgeTurn(place, drafts);
  })();
  return answer && { ...answer, usage };
}

interface Place {
  random: Random;
  /** A word that occurs only once in the whole simulation. */
  word(index: number): string;
}

function routerTurn({ random, word }: Place, destinations: readonly string[]): ScriptedTurn {
  const route = (agent: string, message?: string) => ({
    tool: "route_to",
    input: { agent, reason: "it fits", ...(message === undefined ? {} : { message }) },
  });
  const one = random.pick(destinations);
  return random.weighted<ScriptedTurn>([
    [{ calls: [route(one)] }, 8],
    [{ calls: [route(one, word(0))] }, 2],
    [{ calls: [route("agent-nobody")] }, 2],
    [{ calls: [route(one), route(destinations[0]!)] }, 1],
    [{ calls: [route(one), { tool: "look", input: { what: "first" } }] }, 0.7],
    [{ calls: [{ tool: "route_to", raw: '{"agent": ' }] }, 0.5],
    [{ text: word(0) }, 1],
    [{ text: "" }, 0.7],
    [{ report: { summary: word(0) } }, 1],
  ]);
}

function memberTurn({ random, word }: Place): ScriptedTurn {
  const say = (index: number): Calls[number] => ({ tool: "broadcast", input: { message: word(index) } });
  const vote = (ready: boolean): Calls[number] => ({
    tool: "vote_conclude",
    input: { ready, reason: word(8) },
  });
  const ready = random.chance(0.4);
  return random.weighted<ScriptedTurn>([
    [{ calls: [say(0), vote(ready)] }, 5],
    [{ calls: [vote(ready)] }, 3],
    [{ text: word(0) }, 2],
    [{ calls: [say(0), say(1)] }, 1],
    [{ text: word(2), calls: [say(0)] }, 1],
    [{ calls: [vote(true), { ...vote(false), input: { ready: false, reason: word(7) } }] }, 0.7],
    [{ calls: [vote(ready), { tool: "stamp", input: { what: word(9) } }] }, 0.7],
    [{ calls: [{ tool: "broadcast", input: { message: " " } }] }, 0.5],
    [{ calls: [{ tool: "vote_conclude", input: { ready: "maybe" } }] }, 0.5],
    [{ report: { summary: word(0) } }, 0.7],
    [{ text: "" }, 0.7],
  ]);
}

function coordinatorTurn({ random, word }: Place, { output }: RunPlan): ScriptedTurn {
  const conclude = {
    tool: "conclude_team",
    input: { summary: word(0), ...(output === "none" ? {} : { output: { n: 1 } }) },
  };
  const say: Calls[number] = { tool: "broadcast", input: { message: word(1) } };
  return random.weighted<ScriptedTurn>([
    [{ calls: [conclude] }, 3],
    [{ calls: [say] }, 3],
    [{ text: word(0) }, 2],
    [{ calls: [say, { ...say, input: { message: word(2) } }] }, 1],
    [{ calls: [say, conclude] }, 0.7],
    [{ calls: [{ tool: "conclude_team", input: {} }] }, 0.5],
    [{ calls: [{ tool: "vote_conclude", input: { ready: true, reason: "done" } }] }, 0.5],
    [{ report: { summary: word(0) } }, 0.5],
    [{ text: "" }, 0.5],
  ]);
}

function judgeTurn({ random }: Place, drafts: readonly number[]): ScriptedTurn {
  const pick = (draft: number): ScriptedTurn => ({
    report: { summary: "picked", output: { draft, reason: "it is best" } },
  });
  return random.weighted<ScriptedTurn>([
    [pick(random.pick(drafts)), 6],
    [pick(99), 1],
    [{ report: { summary: "I cannot say" } }, 1],
    [{ text: "the first" }, 1],
    [{ text: "" }, 0.5],
  ]);
}

/** Computes the FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
