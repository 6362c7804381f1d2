// Reads MCP servers from `.mcp.json` next to cadre.yaml, which other products use as well. Only in a trusted folder (A52), and only
// how to start or reach a server: Cadre's own settings about a server's trust are read from cadre.yaml alone.

import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { describeSystemError, messageOf } from "../errors.ts";
import type { Problem } from "./problem.ts";
import { McpServer } from "./schema.ts";

export interface McpJson {
  servers: Record<string, McpServer>;
  problems: Problem[];
}

const FILE = ".mcp.json";
const MAX_BYTES = 256_000;

export function readMcpJson(folder: string, trusted: boolean): McpJson {
  const path = join(folder, FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return { servers: {}, problems: [] };
  if (!trusted) return problem("UNTRUSTED", UNTRUSTED, "run `cadre trust` if you know what is in it");
  if (!found.isFile() || found.size > MAX_BYTES)
    return problem("BAD_VALUE", "is ignored: it must be a plain file of at most 256 kB");
  try {
    return serversOf(MCP_JSON.parse(JSON.parse(readFileSync(path, "utf8"))).mcpServers);
  } catch (error) {
    return problem("BAD_VALUE", `is ignored: ${whyNot(error)}`);
  }
}

function whyNot(error: unknown): string {
  if (error instanceof z.ZodError) return "it has no mapping `mcpServers`";
  return error instanceof SyntaxError
    ? `it is no valid JSON (${messageOf(error)})`
    : describeSystemError(error);
}

const UNTRUSTED = "is ignored: this folder is not trusted to set commands and endpoints";

const MCP_JSON = z.object({ mcpServers: z.record(z.string(), z.looseObject({})) });

function serversOf(written: Record<string, Record<string, unknown>>): McpJson {
  // Without a prototype, so that a server called `__proto__` is a name like any other.
  const result: McpJson = { servers: Object.create(null), problems: [] };
  for (const [name, { type, command, args, env, url, headers }] of Object.entries(written)) {
    const given = Object.entries({ type, command, args, env, url, headers });
    const known = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const server = McpServer.safeParse(known);
    if (server.success) result.servers[name] = server.data;
    else {
      const { path, message } = server.error.issues[0]!;
      const where = ["mcpServers", name, ...path].join(".");
      result.problems.push(...problem("BAD_VALUE", `\`${where}\` is ignored: ${message}`).problems);
    }
  }
  return result;
}

function problem(code: string, message: string, suggestion?: string): McpJson {
  const place = { file: FILE, line: 1, column: 1 };
  const said: Problem = {
    ...place,
    code,
    severity: "warning",
    message,
    ...(suggestion ? { suggestion } : {}),
  };
  return { servers: {}, problems: [said] };
}
