// Finds out whether a file has changed since the diff on an approval card was made.
// An approval of an old diff changes nothing: before the call starts, Cadre compares the file and proposes the call again.

import type { CadreClient } from "../../api/client/client.ts";
import type { ApprovalView } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { previewLines } from "../view/approval.ts";
import { fitLines, type Page } from "../view/text/fit.ts";

/** Says that the card's diff is stale, and shows the current one. Returns no lines if the diff still holds. */
export async function staleLines(
  { id, input, preview, fingerprint }: ApprovalView,
  client: Pick<CadreClient, "post">,
  page: Page,
): Promise<string[]> {
  if (fingerprint === undefined) return [];
  const now = await client
    .post("/api/approvals/{id}/preview", { id, body: { input } })
    .catch((error: unknown) => {
      // The item may have been decided meanwhile. The person's own decision then reports that.
      if (error instanceof CadreError) return undefined;
      throw error;
    });
  if (!now || now.fingerprint === undefined || now.fingerprint === fingerprint) return [];
  const { paint } = page;
  const sentence =
    "The file has changed since this diff was made. If you approve it, nothing is written: you are asked again with the new diff.";
  const current =
    now.preview === undefined || now.preview === preview
      ? []
      : ["It would now be:", ...previewLines(now.preview, page)];
  return [...fitLines([sentence], page).map((line) => paint(["bold", "red"], line)), ...current, ""];
}
