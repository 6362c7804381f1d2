// The schema of a tool's input for providers: JSON Schema draft 7, built once for each tool.

import { z } from "zod";
import type { AnyTool } from "./tool.ts";

export type JsonSchema = Record<string, unknown>;

const SCHEMAS = new WeakMap<AnyTool, JsonSchema>();

export function inputSchemaOf(tool: AnyTool): JsonSchema {
  const known = tool.schema ?? SCHEMAS.get(tool);
  if (known) return known;
  // A model does not need `$schema`, which would cost tokens in every request.
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, {
    target: "draft-7",
    io: "input",
  }) as JsonSchema;
  SCHEMAS.set(tool, schema);
  return schema;
}
