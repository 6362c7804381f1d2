// Takes back the file changes of a run and its descendants, after showing what that would change.

import { z } from "zod";
import { undoRun } from "../../loop/commands/undo.ts";
import { hasRole } from "../access/person.ts";
import type { RouteParts } from "../parts.ts";
import { findRun } from "../views/read-runs.ts";
import { route } from "./route.ts";
import { Count, namedObject, namedStrictObject } from "./schemas.ts";

const Seq = Count.pipe(z.int().min(1)).exactOptional();

/** The files are put back as they were after the event `seq` of the run. If absent, as they were before the run. */
export const UndoQuery = z.strictObject({ seq: Seq });
export const UndoBody = namedStrictObject("UndoBody", { seq: z.int().positive().exactOptional() });

export const UndoneFile = namedObject("UndoneFile", {
  path: z.string(),
  /** The folder of the path, if it is not the workspace of the run. */
  folder: z.string().optional(),
  /**
   * `undo`: put back. `done`: nothing to do. `conflict`: somebody else has changed the file, so it stays as it is.
   * `partly`: put back to the version that somebody else made in between. `unkept`: the earlier version was not kept.
   * `changed`: somebody changed the file during the undo, so it stays. `full`: the folder holds files of others, so it stays.
   */
  status: z.enum(["undo", "done", "conflict", "partly", "unkept", "changed", "full"]),
  action: z.enum(["restores", "removes", "brings_back"]).optional(),
});

const EventRef = z.object({ runId: z.string(), seq: z.int() });

export const UndoView = namedObject("UndoView", {
  runId: z.string(),
  seq: z.int().optional(),
  files: z.array(UndoneFile),
  /** Calls that may have done more than change files. The undo does not take those effects back. */
  lasting: z.array(z.object({ ...EventRef.shape, text: z.string(), isCutOff: z.boolean().optional() })),
  /** Calls after which not all changes are known. */
  incomplete: z.array(EventRef),
  /** The folders that now hold the replaced files. Absent in a plan. */
  aside: z.array(z.string()).optional(),
});
export type UndoView = z.infer<typeof UndoView>;

export function undoRoutes(parts: RouteParts) {
  const { store, people } = parts;
  return [
    route.get(
      "/api/runs/{id}/undo",
      {
        summary: "What an undo of the run would change, what it would keep, and what it cannot take back",
        query: UndoQuery,
        answer: UndoView,
      },
      async ({ params: { id }, query: { seq } }, c) =>
        undoRun((await findRun(store, id)).id, { seq, dryRun: true }, parts.by(c.req.raw), people),
    ),
    route.post(
      "/api/runs/{id}/undo",
      {
        summary: "Put the files of a run and its descendants back; later changes by others are kept",
        body: UndoBody,
        answer: UndoView,
      },
      async ({ params: { id }, body: { seq } }, c) =>
        undoRun(
          (await findRun(store, id)).id,
          { seq, mayChangeProtected: !parts.person || hasRole(parts.person, "admin") },
          parts.by(c.req.raw),
          people,
        ),
    ),
  ];
}
