// U32: what would have been told in quiet hours, as one notice at their end. Pure.

import { plural } from "../../../../src/projections/words/format.ts";
import type { Notice } from "./news.ts";

/** Stands where other notices name their tree. */
export const DIGEST = "digest";

/** Undefined: there was nothing. A tree that asked and has ended since counts as ended. */
export function summarizeNotices(notices: readonly Notice[]): Notice | undefined {
  const trees = [...new Map(notices.map((notice) => [notice.rootRunId, notice])).values()];
  const count = (fits: (notice: Notice) => boolean): number => trees.filter(fits).length;
  const asked = count(({ kind }) => kind === "needs-you");
  const failed = count(({ isBad }) => isBad);
  const done = trees.length - asked - failed;
  if (trees.length === 0) return undefined;
  const parts = [
    ...(asked > 0 ? [`${plural(asked, "tree")} ${asked === 1 ? "needs" : "need"} you`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(done > 0 ? [`${done} done`] : []),
  ];
  return {
    rootRunId: DIGEST,
    kind: asked > 0 ? "needs-you" : "done",
    title: "While it was quiet",
    text: parts.join(", "),
    isBad: failed > 0,
  };
}
