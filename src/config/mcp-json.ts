// Reads MCP servers from `.mcp.json` next to cadre.yaml. Other products use `.mcp.json` too.
// Cadre reads the file only in a trusted folder (A52). It uses only the settings for starting or reaching each server.
// Only cadre.yaml can say that a server is trusted.

import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { describeSystemError, messageOf } from "../errors.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { Problem } from "./problem.ts";
import { McpServer } from "./schema.ts";
import { type IgnoredSetting, ignoredSetting } from "./untrusted.ts";

interface McpJson {
  servers: Record<string, McpServer>;
  problems: Problem[];
  /** If the folder is not trusted, the whole file is ignored, and this list has one entry for it. Otherwise the list is empty. */
  ignored: IgnoredSetting[];
}

const AT = { file: ".mcp.json", line: 1, column: 1 };
const MAX_BYTES = 256_000;

/** `disabled` contains the names of servers that are left out. */
export function readMcpJson(
  folder: string,
  trusted: boolean,
  disabled: ReadonlySet<string> = new Set(),
): McpJson {
  const none: McpJson = { servers: {}, problems: [], ignored: [] };
  const path = join(folder, AT.file);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return none;
  if (!trusted) return { ...none, ignored: [ignoredSetting(["mcpServers"], "commands and endpoints", AT)] };
  if (!found.isFile() || found.size > MAX_BYTES)
    return { ...none, problems: [problem("is ignored: it must be a plain file of at most 256 kB")] };
  try {
    const written = Object.entries(MCP_JSON.parse(JSON.parse(readFileSync(path, "utf8"))).mcpServers);
    return serversOf(written.filter(([name]) => !disabled.has(name)));
  } catch (error) {
    return { ...none, problems: [problem(`is ignored: ${whyNot(error)}`)] };
  }
}

function whyNot(error: unknown): string {
  if (error instanceof z.ZodError) return "it has no mapping `mcpServers`";
  return error instanceof SyntaxError
    ? `it is no valid JSON (${messageOf(error)})`
    : describeSystemError(error);
}

const MCP_JSON = z.object({ mcpServers: z.record(z.string(), z.looseObject({})) });

function serversOf(written: readonly [string, Record<string, unknown>][]): McpJson {
  // The object has no prototype, so that a server can be called `__proto__`.
  const result: McpJson = { servers: Object.create(null), problems: [], ignored: [] };
  for (const [name, { type, command, args, env, url, headers }] of written) {
    const server = McpServer.safeParse(omitUndefined({ type, command, args, env, url, headers }));
    if (server.success) result.servers[name] = server.data;
    else {
      const { path, message } = server.error.issues[0]!;
      const where = ["mcpServers", name, ...path].join(".");
      result.problems.push(problem(`\`${where}\` is ignored: ${message}`));
    }
  }
  return result;
}

const problem = (message: string): Problem => ({ ...AT, code: "BAD_VALUE", severity: "warning", message });
