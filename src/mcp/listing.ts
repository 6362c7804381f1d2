// Reads the list of tools that a server offers. The number, size and depth of the tools are limited, and every skipped tool is reported.
// A tool's hash covers everything about the tool that a model would read.

import { createHash } from "node:crypto";
import { z } from "zod";
import { lookalikes, toolNameProblem } from "./names.ts";

export const ListedTool = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ListedTool = z.infer<typeof ListedTool>;

export interface Listing {
  tools: ListedTool[];
  /** One line for each skipped tool, such as `"bash ": its name has …`. */
  problems: string[];
}

export const MAX_TOOLS = 200;
const MAX_CHARACTERS = 64_000;
const MAX_DEPTH = 24;
/** Maximum number of problems to list. */
const MAX_PROBLEMS = 20;

const Offered = z.looseObject({
  name: z.string().max(1_000),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal("object") }),
});

export function readListing(server: string, offered: readonly unknown[]): Listing {
  const problems: string[] = [];
  if (offered.length > MAX_TOOLS)
    problems.push(`it offers ${offered.length} tools; only the first ${MAX_TOOLS} are looked at`);
  const read = offered.slice(0, MAX_TOOLS).flatMap((one) => {
    const parsed = Offered.safeParse(one);
    if (!parsed.success) return [];
    const { name, description = "", inputSchema } = parsed.data;
    return [{ name, description, inputSchema }];
  });
  const alike = lookalikes(read.map(({ name }) => name));
  const tools = read.filter((tool) => {
    const why = alike.has(tool.name) ? LOOKALIKE : problemOf(server, tool);
    if (why !== undefined) problems.push(`${JSON.stringify(tool.name.slice(0, 80))}: ${why}`);
    return why === undefined;
  });
  return { tools, problems: problems.slice(0, MAX_PROBLEMS) };
}

const LOOKALIKE = "another tool of the server is called nearly the same, so neither is used";

function problemOf(server: string, tool: ListedTool): string | undefined {
  const name = toolNameProblem(server, tool.name);
  if (name !== undefined) return name;
  if (isDeeperThan(tool.inputSchema, MAX_DEPTH))
    return `its schema is nested deeper than ${MAX_DEPTH} levels`;
  return JSON.stringify(tool).length > MAX_CHARACTERS
    ? `its description and schema have more than ${MAX_CHARACTERS} characters`
    : undefined;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

export const toolHash = ({ name, description, inputSchema }: ListedTool): string =>
  createHash("sha256").update(canonical({ name, description, inputSchema })).digest("hex");

/** Returns JSON with sorted keys, so that equal values give equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Characters that a model reads but a person cannot see (A48). */
const HIDDEN = /[^\t\n\r\P{C}]|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800]/u;

/** Matches emoji, which can contain invisible joiners and variation selectors. */
const EMOJI =
  /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*/gu;

/** True if the tool's description or schema contains hidden characters. */
export const hidesText = (tool: ListedTool): boolean =>
  textsOf([tool.description, tool.inputSchema]).some((text) => HIDDEN.test(text.replaceAll(EMOJI, "")));

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}
