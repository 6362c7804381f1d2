// MCP servers that a program declares. They have the keys of `mcpServers` in cadre.yaml.

import { McpServer } from "../config/schema.ts";
import { CadreError } from "../errors.ts";
import { lookalikes, serverNameProblem } from "../mcp/names.ts";

/** A program that Cadre starts (`command`), or an address that Cadre connects to (`url`). */
export interface McpServerOptions {
  command?: string;
  args?: readonly string[];
  /** Variables for the program: names to pass on, or values. `${NAME}` in a value is replaced from the environment. */
  env?: readonly string[] | Readonly<Record<string, string>>;
  url?: string;
  /** `${NAME}` in a header is replaced from the environment. */
  headers?: Readonly<Record<string, string>>;
  /** Time limit of a call: `"30s"`, or a number of milliseconds. */
  timeout?: string | number;
  /** Tools that change nothing. All other tools are `unsafe`. */
  readOnly?: readonly string[];
  /** True: the server's answers are not marked as untrusted. */
  trusted?: boolean;
  /** `defaults` answers the server's forms with the values that it proposes. Default: `decline`. */
  elicitation?: "decline" | "defaults";
}

/**
 * Checks the servers. Throws CONFIG_INVALID if one of them cannot be used.
 * @internal
 */
export function readServers(
  given: Readonly<Record<string, McpServerOptions>> = {},
): Record<string, McpServer> {
  const alike = lookalikes(Object.keys(given));
  const servers = Object.entries(given).map(([name, options]): [string, McpServer] => {
    const problem =
      serverNameProblem(name) ?? (alike.has(name) ? "another name looks nearly the same" : undefined);
    if (problem !== undefined) throw invalid(name, problem);
    const { data, error } = McpServer.safeParse(options);
    if (data) return [name, data];
    const { path, message } = error.issues[0]!;
    throw invalid(name, path.length > 0 ? `\`${path.join(".")}\`: ${message}` : message);
  });
  return Object.fromEntries(servers);
}

const invalid = (name: string, problem: string): CadreError =>
  new CadreError(
    "CONFIG_INVALID",
    `The MCP server ${JSON.stringify(name)} cannot be used: ${problem}. Nothing was opened.`,
  );
