// The agents' files of one simulation, compiled.

import { CadreError } from "../../src/errors.ts";
import type { Definition } from "../../src/journal/definition.ts";
import { definitionOf, type SimOptions } from "./options.ts";

/** The loop keeps definitions by their hash: another edition for each simulation, or the second would skip reading. */
let edition = 0;

export function agentsOf({ runs, cast }: SimOptions): (name: string) => Promise<Definition> {
  const number = String(++edition);
  const known = new Map([...runs, ...cast].map((plan) => [plan.agent, definitionOf(plan, number)]));
  return async (name) => {
    const definition = known.get(name);
    if (!definition) throw new CadreError("AGENT_NOT_FOUND", `There is no agent ${name}.`);
    return definition;
  };
}
