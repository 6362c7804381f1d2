// What a call would do and allow, read from its input alone: as it was recorded, or as a person thinks of changing it.

import { grantRuleFor } from "../loop/give-grant.ts";
import { explainCommand } from "../permissions/shell/explain-command.ts";
import type { ApiParts } from "./parts.ts";
import type { CommandView } from "./views/approvals.ts";

/** `grant`: the rule that a wider yes to it would be. */
export function callDetails(
  tool: string | undefined,
  input: unknown,
  workspace: string,
  { grantFor }: Pick<ApiParts["people"], "grantFor">,
): { grant?: string; command?: CommandView } {
  const grant = grantRuleFor(tool, input, grantFor);
  const { command } = (input ?? {}) as { command?: unknown };
  return {
    ...(grant === undefined ? {} : { grant }),
    ...(tool === "Bash" && typeof command === "string"
      ? { command: explainCommand(command, workspace) }
      : {}),
  };
}
