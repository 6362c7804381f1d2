// What would come of a call with another input: what is shown of it, what is wrong with it, what it would change.

import { isDeepStrictEqual } from "node:util";
import type { CadreError } from "../errors.ts";
import { previewEdit } from "../loop/commands/preview-edit.ts";
import type { ApiParts } from "./parts.ts";
import { callDetails } from "./shown-call.ts";
import type { EditPreview } from "./views/approvals.ts";

export async function editPreview(
  id: string,
  input: unknown,
  people: ApiParts["people"],
): Promise<EditPreview> {
  const { item, workspace, refused, preview } = await previewEdit(id, input, people);
  const { text, fingerprint, change } = preview ?? {};
  // A file may hold what the journal would never say.
  const masked = change !== undefined && !isDeepStrictEqual(people.mask.value(change), change);
  return people.mask.value({
    ...(refused ? { problem: refused.message } : callDetails(item.tool, input, workspace, people)),
    issues: issuesOf(refused).map(({ path, message }) => ({ path, message })),
    ...(text === undefined ? {} : { preview: text }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(change === undefined ? {} : { change: { ...change, ...(masked ? { masked } : {}) } }),
  });
}

const issuesOf = (refused: CadreError | undefined): EditPreview["issues"] =>
  (refused?.details?.["issues"] ?? []) as EditPreview["issues"];
