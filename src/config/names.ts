// Parses names of agents and tools as people write them in files: one name, a list, or a text with commas.

import { z } from "zod";

/** The number of names is limited, because each name might be compared with every known name. */
const MAX_NAMES = 500;

/** Accepts a list, or a text such as `Read, Bash(git log, git diff)`. Commas inside parentheses belong to the rule's pattern. */
export const Names = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (typeof value === "string" ? splitNames(value) : value)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  )
  .refine((names) => names.length <= MAX_NAMES, { error: `names more than ${MAX_NAMES}` });

/** Selects the instruction files that are read: none (`off`), the usual ones (`on`), or the named files. */
export const InstructionNames = z.union([
  z.boolean(),
  z.enum(["on", "off"]).transform((word) => word === "on"),
  Names,
]);

export const SomeNames = Names.refine((names) => names.length > 0, {
  error: "must name at least one agent",
});

export const AgentName = z.string().trim().min(1);

export const Count = z.int().positive();

function splitNames(text: string): string[] {
  const names = [""];
  let depth = 0;
  for (const piece of text.split(/([(),])/)) {
    if (piece === "(") depth++;
    if (piece === ")") depth = Math.max(0, depth - 1);
    if (piece === "," && depth === 0) names.push("");
    else names[names.length - 1] += piece;
  }
  return names;
}
