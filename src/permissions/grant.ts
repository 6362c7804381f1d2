// What "always this" comes to: a rule as narrow as the call allows, or none where the call cannot be named exactly.

import { isChangingTool, textOf } from "./call.ts";
import type { GrantFor } from "./permission.ts";
import { quoteArgv } from "./shell/argv-pattern.ts";
import { isReadOnlyCommand } from "./shell/judge-shell.ts";
import { parseShell } from "./shell/parse-shell.ts";

export const grantFor: GrantFor = (tool, input) => {
  const fields = (input ?? {}) as Record<string, unknown>;
  if (tool === "Bash") return grantForCommand(textOf(fields["command"]));
  if (isChangingTool(tool)) return grantForFile(fields["path"]);
  return NAMED_BY.has(tool) ? namedGrant(tool, input) : tool;
};

/** Tools whose calls are about one thing that has a name, and the field that holds it. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["WebFetch", "url"],
  ["delegate", "agent"],
  ["send_message", "to"],
  ["restart_service", "service"],
  ["mcp__admin__cancel_run", "run_id"],
  ["mcp__admin__retry_run", "run_id"],
  ["mcp__admin__recover_run", "run_id"],
]);

/** For that one host, agent or service. Undefined: the tool's calls have no such name, or this one lacks it. */
export function namedGrant(tool: string, input: unknown): string | undefined {
  const field = NAMED_BY.get(tool);
  const name = textOf(field && ((input ?? {}) as Record<string, unknown>)[field]);
  if (tool !== "WebFetch") return name === "" ? undefined : `${tool}(${name})`;
  const origin = URL.parse(name)?.origin;
  return origin === undefined || origin === "null" ? undefined : `WebFetch(${origin}/**)`;
}

/** Blanks at the ends of a rule are not read: ` .envrc` would come to `.envrc` (A21). */
function grantForFile(path: unknown): string | undefined {
  if (typeof path !== "string" || path !== path.trim()) return undefined;
  return `Edit(${escapeGlob(path)})`;
}

/** One command, exactly; commands that only read may follow it, as in `npm test | tail`. */
function grantForCommand(command: string): string | undefined {
  const parsed = parseShell(command);
  if (parsed.grade !== "exact" || parsed.redirects.length > 0) return undefined;
  const [first, ...others] = parsed.commands;
  if (!first || parsed.commands.some((one) => one.assigns)) return undefined;
  if (!others.every((one) => isReadOnlyCommand(one.argv).readOnly)) return undefined;
  return `Bash(${quoteArgv(first.argv as readonly string[])})`;
}

const escapeGlob = (path: string): string => path.replace(/^\.\//, "").replace(/[\\*?[\]{}()!]/g, "\\$&");
