// The declared output of an agent must fit the declared input of the agent that it hands off to (S3-15).
// Only definite mismatches are reported. An unknown schema keyword or a missing schema is not a problem.

import { namedBy, patternsIn } from "../../patterns/declarations/facts.ts";
import { errorAt, type Finding } from "../../patterns/declarations/finding.ts";
import type { Agent } from "../agent.ts";
import { terminalAgents } from "../explain/terminal-agents.ts";
import { isMapping } from "../files/parse.ts";
import type { Check } from "./check.ts";

export const checkHandoffSchemas: Check = ({ name, definition }, { agents }) =>
  patternsIn(definition)
    .filter(({ pattern }) => pattern.stage === "after")
    .flatMap((used) => namedBy(used).flatMap((target) => misfits(used.pattern.key, name, target, agents)));

function misfits(key: string, name: string, target: string, agents: ReadonlyMap<string, Agent>): Finding[] {
  const input = agents.get(target)?.definition?.input;
  if (input === undefined) return [];
  return answeringAgents(name, agents).flatMap((source) => {
    const output = agents.get(source)?.definition?.output;
    const misfit = output === undefined ? undefined : misfitOf(output, input, "");
    if (!misfit) return [];
    const message = `the output of \`${source}\` does not fit the input of \`${target}\`: ${misfit}`;
    return [errorAt(key, "HANDOFF_MISFIT", message, { names: target })];
  });
}

/** The agents whose answer is handed off: the agent itself, or each agent that its router can choose. */
function answeringAgents(name: string, agents: ReadonlyMap<string, Agent>): string[] {
  const routers = patternsIn(agents.get(name)?.definition ?? {}).filter(
    ({ pattern }) => pattern.stage === "route",
  );
  if (routers.length === 0) return [name];
  const chosen = routers.flatMap(namedBy);
  return [...new Set(chosen.flatMap((one) => terminalAgents(agents, one).map(({ agent }) => agent)))].sort();
}

type Schema = Record<string, unknown>;

/** Limits the recursion in a schema that contains itself. Real schemas have fewer levels. */
const DEEPEST = 20;

/** Describes the part of the output that the input does not accept. Undefined if the output fits, or if we cannot tell. */
function misfitOf(output: unknown, input: unknown, place: string): string | undefined {
  if (!isMapping(output) || !isMapping(input) || place.split(".").length > DEEPEST) return undefined;
  return (
    typeMisfit(output, input, place) ??
    valueMisfit(output, input, place) ??
    insideMisfit(output, input, place)
  );
}

function typeMisfit(output: Schema, input: Schema, place: string): string | undefined {
  const [given, taken] = [typesOf(output), typesOf(input)];
  if (!given || !taken) return undefined;
  const wrong = given.filter(
    (type) => !taken.includes(type) && !(type === "integer" && taken.includes("number")),
  );
  return wrong.length > 0
    ? `${placeText(place)} may be ${wrong.join(" or ")}, and the input takes ${taken.join(" or ")}`
    : undefined;
}

function valueMisfit(output: Schema, input: Schema, place: string): string | undefined {
  const [given, taken] = [valuesOf(output), valuesOf(input)];
  const wrong = given && taken && given.filter((value) => !taken.includes(value));
  return wrong && wrong.length > 0
    ? `${placeText(place)} may be ${wrong.join(" or ")}, and the input takes ${taken.join(" or ")}`
    : undefined;
}

function insideMisfit(output: Schema, input: Schema, place: string): string | undefined {
  const [given, taken] = [output["properties"], input["properties"]];
  if (isMapping(given)) {
    const required = Array.isArray(input["required"]) ? input["required"] : [];
    const missing = required.find((name) => typeof name === "string" && !Object.hasOwn(given, name));
    if (missing !== undefined)
      return `${placeText(joinPlace(place, String(missing)))} is required and not in it`;
    for (const [name, schema] of Object.entries(isMapping(taken) ? taken : {})) {
      const misfit = Object.hasOwn(given, name)
        ? misfitOf(given[name], schema, joinPlace(place, name))
        : undefined;
      if (misfit) return misfit;
    }
  }
  return misfitOf(output["items"], input["items"], joinPlace(place, "items"));
}

function typesOf({ type }: Schema): string[] | undefined {
  if (typeof type === "string") return [type];
  return Array.isArray(type) && type.every((one) => typeof one === "string") ? type : undefined;
}

/** The allowed values as JSON, so that they can be compared and shown. */
function valuesOf(schema: Schema): string[] | undefined {
  if (Object.hasOwn(schema, "const")) return [JSON.stringify(schema["const"])];
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => JSON.stringify(value)) : undefined;
}

const joinPlace = (place: string, name: string): string => (place === "" ? name : `${place}.${name}`);

const placeText = (place: string): string => (place === "" ? "it" : `\`${place}\``);
