// Shows what an edited call would do, checked and previewed as the decision itself would be. Decides and records
// nothing.

import { CadreError } from "../../errors.ts";
import type { ApprovalItem } from "../../projections/folds/approvals.ts";
import type { Preview } from "../../tools/tool.ts";
import { checkEdit } from "./check-edit.ts";
import { type CommandParts, findOpenItem } from "./person-commands.ts";

export interface EditedCallPreview {
  item: ApprovalItem;
  workspace: string;
  /** Why the decision would be refused. */
  refused: CadreError | undefined;
  preview: Preview | undefined;
}

export async function previewEdit(
  id: string,
  input: unknown,
  parts: CommandParts,
): Promise<EditedCallPreview> {
  const { item, state } = await findOpenItem(id, parts);
  if (item.kind !== "tool") throw new CadreError("BAD_REQUEST", "Only a tool call can be edited.");
  const { workspace } = state.start!;
  const refused = await checkEdit(item, input, state, parts).then(() => undefined, refusal);
  const tool = parts.tools.get(item.tool!);
  const preview = refused ? undefined : await tool?.preview?.(input, { workspace });
  return { item, workspace, refused, preview };
}

function refusal(error: unknown): CadreError {
  if (error instanceof CadreError && error.code === "UNPROCESSABLE") return error;
  throw error;
}
