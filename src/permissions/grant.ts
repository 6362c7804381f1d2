// Builds the rule that "always allow this" creates. The rule is as narrow as possible.
// If no rule can name the call exactly, there is no grant.

import { type FindFacts, type NamedTool, targetText } from "../journal/tool-facts.ts";
import type { GrantFor } from "./permission.ts";
import { quoteArgv } from "./shell/argv-pattern.ts";
import { isReadOnlyCommand } from "./shell/judge-shell.ts";
import { parseShell } from "./shell/parse-shell.ts";

export const createGrantFor =
  (find: FindFacts): GrantFor =>
  (tool, input) => {
    const target = find(tool)?.target;
    if (target === undefined) return tool;
    const value = targetText(target, input);
    if (target.kind === "command") return grantForCommand(tool, value);
    if (target.kind === "path") return target.use === "changes" ? grantForFile(value) : tool;
    return namedGrant({ name: tool, target }, input);
  };

/** A grant for one host, agent or service. Undefined if the call names none of them. */
export function namedGrant({ name, target }: NamedTool, input: unknown): string | undefined {
  if (target?.kind !== "url" && target?.kind !== "name") return undefined;
  const value = targetText(target, input);
  if (target.kind === "name") return value === "" ? undefined : `${name}(${value})`;
  const origin = URL.parse(value)?.origin;
  return origin === undefined || origin === "null" ? undefined : `${name}(${origin}/**)`;
}

/** A grant for one file. A path with spaces around it gets none: rules are trimmed, so a grant for ` .envrc` would cover `.envrc` (A21). */
const grantForFile = (path: string): string | undefined =>
  path === "" || path !== path.trim() ? undefined : `Edit(${escapeGlob(path)})`;

/** A grant for exactly one command. Read-only commands can follow that command, as in `npm test | tail`. */
function grantForCommand(tool: string, command: string): string | undefined {
  const parsed = parseShell(command);
  if (parsed.grade !== "exact" || parsed.redirects.length > 0) return undefined;
  const [first, ...others] = parsed.commands;
  if (!first || parsed.commands.some((one) => one.assigns)) return undefined;
  if (!others.every((one) => isReadOnlyCommand(one.argv).readOnly)) return undefined;
  return `${tool}(${quoteArgv(first.argv as readonly string[])})`;
}

const escapeGlob = (path: string): string => path.replace(/^\.\//, "").replace(/[\\*?[\]{}()!]/g, "\\$&");
