// `input` and `output` must be usable JSON Schemas. This check finds a bad schema before a run costs money.

import { z } from "zod";
import { messageOf } from "../../errors.ts";
import { errorAt } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

export const checkSchemas: Check = ({ definition }) =>
  (["input", "output"] as const).flatMap((key) => {
    const problem = definition[key] === undefined ? undefined : schemaProblem(definition[key]);
    return problem === undefined
      ? []
      : [errorAt(key, "BAD_SCHEMA", `\`${key}\` is no JSON Schema that can be used: ${problem}`)];
  });

function schemaProblem(schema: unknown): string | undefined {
  try {
    z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown).split("\n", 1)[0];
  }
}
