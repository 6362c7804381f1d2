// Along a handoff the declared output must fit the declared input (S3-15). Only what is certain is said: a construct that
// is not known here, or an agent that declares nothing, is no problem.

import type { Agent } from "../agent.ts";
import { terminalAgents } from "../explain/terminal-agents.ts";
import { type Check, errorAt } from "./check.ts";

export const checkHandoffSchemas: Check = ({ name, definition }, { agents }) => {
  const target = definition.handoff?.agent;
  const input = target === undefined ? undefined : agents.get(target)?.definition?.input;
  if (target === undefined || input === undefined) return [];
  return answering(name, agents).flatMap((source) => {
    const output = agents.get(source)?.definition?.output;
    const misfit = output === undefined ? undefined : misfitOf(output, input, "");
    if (!misfit) return [];
    return [
      errorAt(
        "handoff",
        "HANDOFF_MISFIT",
        `the output of \`${source}\` does not fit the input of \`${target}\`: ${misfit}`,
        { names: target },
      ),
    ];
  });
};

/** Whose answer is handed on: the agent's own, or those of whoever a router chooses. */
function answering(name: string, agents: ReadonlyMap<string, Agent>): string[] {
  const router = agents.get(name)?.definition?.router;
  if (!router) return [name];
  const chosen = [...router.destinations, ...(router.fallback === undefined ? [] : [router.fallback])];
  return [...new Set(chosen.flatMap((one) => terminalAgents(agents, one).map(({ agent }) => agent)))].sort();
}

type Schema = Record<string, unknown>;

/** Deeper than anybody writes, and than a schema that holds itself may lead us. */
const DEEPEST = 20;

/** What of the output the input does not take; undefined: it fits, or cannot be told. */
function misfitOf(output: unknown, input: unknown, place: string): string | undefined {
  if (!isSchema(output) || !isSchema(input) || place.split(".").length > DEEPEST) return undefined;
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
    ? `${named(place)} may be ${wrong.join(" or ")}, and the input takes ${taken.join(" or ")}`
    : undefined;
}

function valueMisfit(output: Schema, input: Schema, place: string): string | undefined {
  const [given, taken] = [valuesOf(output), valuesOf(input)];
  const wrong = given && taken && given.filter((value) => !taken.includes(value));
  return wrong && wrong.length > 0
    ? `${named(place)} may be ${wrong.join(" or ")}, and the input takes ${taken.join(" or ")}`
    : undefined;
}

function insideMisfit(output: Schema, input: Schema, place: string): string | undefined {
  const [given, taken] = [output["properties"], input["properties"]];
  if (isSchema(given)) {
    const required = Array.isArray(input["required"]) ? input["required"] : [];
    const missing = required.find((name) => typeof name === "string" && !Object.hasOwn(given, name));
    if (missing !== undefined) return `${named(joined(place, String(missing)))} is required and not in it`;
    for (const [name, schema] of Object.entries(isSchema(taken) ? taken : {})) {
      const misfit = Object.hasOwn(given, name)
        ? misfitOf(given[name], schema, joined(place, name))
        : undefined;
      if (misfit) return misfit;
    }
  }
  return misfitOf(output["items"], input["items"], joined(place, "items"));
}

function typesOf({ type }: Schema): string[] | undefined {
  if (typeof type === "string") return [type];
  return Array.isArray(type) && type.every((one) => typeof one === "string") ? type : undefined;
}

/** As JSON, so that they can be compared and shown. */
function valuesOf(schema: Schema): string[] | undefined {
  if (Object.hasOwn(schema, "const")) return [JSON.stringify(schema["const"])];
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => JSON.stringify(value)) : undefined;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const joined = (place: string, name: string): string => (place === "" ? name : `${place}.${name}`);

const named = (place: string): string => (place === "" ? "it" : `\`${place}\``);
