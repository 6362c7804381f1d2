// What a call would do and allow, read from its input alone: as it was recorded, or as a person thinks of changing it.

import { grantOf } from "../loop/give-grant.ts";
import { readCommand } from "../permissions/read-command.ts";
import type { ApiParts } from "./parts.ts";
import type { CommandView } from "./schema.ts";

/** `grant`: the rule that a wider yes to it would be. */
export function shownOfCall(
  tool: string | undefined,
  input: unknown,
  workspace: string,
  { grantFor }: Pick<ApiParts["people"], "grantFor">,
): { grant?: string; command?: CommandView } {
  const grant = grantOf(tool, input, grantFor);
  const { command } = (input ?? {}) as { command?: unknown };
  return {
    ...(grant === undefined ? {} : { grant }),
    ...(tool === "Bash" && typeof command === "string" ? { command: readCommand(command, workspace) } : {}),
  };
}
