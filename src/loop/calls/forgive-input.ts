// Corrects calls that are nearly right: a tool's name in another case, `file_path` for `path`, "2" for 2.
// A call that fits the tool's schema is never changed, and a correction counts only if the result fits.

import type { AnyTool } from "../../tools/tool.ts";

/** Other names that models use for a property, written without case and separators. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    "filepath",
    "filename",
    "file",
    "absolutepath",
    "targetfile",
    "notebookpath",
    "directory",
    "dir",
    "folder",
  ],
  command: ["cmd", "script", "shellcommand"],
  content: ["contents", "text", "filetext", "body"],
  old_string: ["oldstr", "oldtext", "search", "find"],
  new_string: ["newstr", "newtext", "replace", "replacement"],
  pattern: ["query", "regex", "regexp", "search"],
  glob: ["include", "filepattern", "globpattern"],
  offset: ["startline", "line"],
  limit: ["numlines", "maxlines"],
};

/** Properties in which models explain a call to themselves. They mean nothing to a tool. */
const EXPLANATIONS = new Set(["description", "explanation", "reason", "thought"]);

export interface NearlyRightCall {
  toolName: string;
  input: unknown;
}

/** The call with its corrections. Undefined if nothing has to be corrected, or if corrections do not help. */
export function forgiveInput(
  { toolName, input }: NearlyRightCall,
  tools: ReadonlyMap<string, AnyTool>,
  schemaOf: (tool: AnyTool) => unknown,
): NearlyRightCall | undefined {
  const tool = tools.get(toolName) ?? findByOtherCase(toolName, tools);
  if (!tool) return undefined;
  const name = tools.has(toolName) ? toolName : tool.name;
  if (tool.input.safeParse(input).success) return name === toolName ? undefined : { toolName: name, input };
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { properties = {} } = schemaOf(tool) as { properties?: Record<string, PropertySchema> };
  const corrected = correct(input as Record<string, unknown>, properties);
  return tool.input.safeParse(corrected).success ? { toolName: name, input: corrected } : undefined;
}

const findByOtherCase = (name: string, tools: ReadonlyMap<string, AnyTool>): AnyTool | undefined =>
  [...tools].find(([known]) => fold(known) === fold(name))?.[1];

interface PropertySchema {
  type?: string;
}

function correct(
  input: Record<string, unknown>,
  properties: Record<string, PropertySchema>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === null) continue;
    const meant = Object.hasOwn(properties, key) ? key : meantProperty(key, properties, input);
    if (meant !== undefined) result[meant] = convert(value, properties[meant]!.type);
    else if (!EXPLANATIONS.has(fold(key))) result[key] = value;
  }
  return result;
}

/** The property that the model meant by a key. Undefined if the input already has that property. */
function meantProperty(
  key: string,
  properties: Record<string, PropertySchema>,
  input: Record<string, unknown>,
): string | undefined {
  const free = Object.keys(properties).filter((property) => !Object.hasOwn(input, property));
  return (
    free.find((property) => fold(property) === fold(key)) ??
    free.find((property) => OTHER_NAMES[property]?.includes(fold(key)))
  );
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, "");

/** Converts a text to the expected type, if it is the text of such a value. */
function convert(value: unknown, type: string | undefined): unknown {
  if (typeof value !== "string" || type === undefined || type === "string") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeName(parsed) === (type === "integer" ? "number" : type) ? parsed : value;
  } catch {
    return value;
  }
}

const typeName = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);
