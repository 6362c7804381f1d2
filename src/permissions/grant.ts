// What "always this" comes to: a rule as narrow as the call allows, or none where the call cannot be named exactly.

import { parseShell } from "./argv.ts";
import { quoteArgv } from "./argv-pattern.ts";
import { isChangingTool, textOf } from "./call.ts";
import type { GrantFor } from "./permission.ts";
import { isReadOnlyCommand } from "./shell.ts";

export const grantFor: GrantFor = (tool, input) => {
  const fields = (input ?? {}) as Record<string, unknown>;
  if (tool === "Bash") return grantForCommand(textOf(fields["command"]));
  if (isChangingTool(tool))
    return typeof fields["path"] === "string" ? `Edit(${escapeGlob(fields["path"])})` : undefined;
  return tool;
};

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
