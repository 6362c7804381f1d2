// Formats agents for people: a line of facts about an agent, the problems of its file, and how to reach it.

import type { Agent } from "../../agents/agent.ts";
import { type Edge, edgesOf } from "../../agents/explain/edges.ts";
import { type Problem, problemText } from "../../config/problem.ts";
import { ownToolsOf } from "../../patterns/declarations/facts.ts";
import { modelLabel } from "./live/live-view.ts";
import type { Paint } from "./screen.ts";
import { plainLine } from "./text/plain.ts";

/** Describes an agent in one line, for example `main · → coding, log-analyzer · Read, Grep`. The default model is left out. */
export function agentFacts({ name, definition, problems }: Agent, usualModel: string): string {
  if (!definition) return "cannot be used";
  const { kind, models, inheritsModel, tools } = definition;
  const pack = name.slice(0, name.lastIndexOf("/") + 1);
  const short = (other: string): string =>
    plainLine(other.startsWith(pack) ? other.slice(pack.length) : other);
  const arrows = Map.groupBy(edgesOf(definition), ({ key }) => key);
  const patterns = [...arrows].map(
    ([key, edges]) => `${key === "agents" ? "" : `${key} `}→ ${edges.map(({ to }) => short(to)).join(", ")}`,
  );
  const model = inheritsModel ? "its parent's model" : modelLabel(models[0]!);
  return [
    ...(problems.some(isUnknownModel) ? ["cannot run: its model's provider is unknown or not trusted"] : []),
    kind,
    ...patterns,
    ...(ownToolsOf(definition)?.may === "none" ? [] : [toolWords(tools.allow)]),
    ...(models[0] === usualModel ? [] : [model]),
  ].join(" · ");
}

/** A53: an agent whose model is unknown cannot run, because Cadre never substitutes another model. */
export const isUnknownModel = ({ code }: Problem): boolean => code === "MODEL_UNKNOWN";

/** Formats an agent's name and title, for example `lead (Team Lead)`. */
export const withTitle = (name: string, title: string | undefined): string =>
  plainLine(title === undefined ? name : `${name} (${title})`);

const SHOWN_TOOLS = 4;

/** Lists the first few tools of an agent. If `names` is undefined, the agent has all tools. */
function toolWords(names: readonly string[] | undefined): string {
  if (names === undefined) return "all tools";
  if (names.length === 0) return "no tools";
  const shown = names.slice(0, SHOWN_TOOLS).map(plainLine).join(", ");
  return names.length > SHOWN_TOOLS ? `${shown} +${names.length - SHOWN_TOOLS}` : shown;
}

/** Describes how to reach an agent: `directly`, `via supervisor`, or `via planner, by handoff`. */
export function wayText(path: readonly Edge[], names: (name: string) => string = plainLine): string {
  const above = path.slice(0, -1).map(({ key, to }) => (key === "agents" ? "" : `(${key}) `) + names(to));
  const { key } = path.at(-1)!;
  const by = key === "agents" ? [] : [`by ${key}`];
  const via = above.length > 0 ? [`via ${above.join(" → ")}`] : [];
  return [...via, ...by].join(", ") || "directly";
}

export function problemLine(problem: Problem, paint: Paint): string {
  const text = plainLine(problemText(problem));
  return problem.severity === "error" ? paint("red", `error: ${text}`) : paint("yellow", `warning: ${text}`);
}
