// U32: all notices from quiet hours, as one notice at their end. Pure.

import { plural } from "../../../../src/projections/words/format.ts";
import type { Notice } from "./news.ts";

/** Used in place of a tree's id. */
export const DIGEST = "digest";

/** Undefined if there were no notices. Only the latest notice of each tree counts. */
export function summarizeNotices(notices: readonly Notice[]): Notice | undefined {
  const trees = [...new Map(notices.map((notice) => [notice.rootRunId, notice])).values()];
  const count = (matches: (notice: Notice) => boolean): number => trees.filter(matches).length;
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
    title: "During quiet hours",
    text: parts.join(", "),
    isBad: failed > 0,
  };
}
