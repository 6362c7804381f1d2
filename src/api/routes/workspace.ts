// Lists the project's files so that people can browse them (S4-54).

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { route } from "./route.ts";
import { namedObject, nameSchema } from "./schemas.ts";

export const WorkspaceQuery = z.strictObject({
  /** Path of a folder in the project. */
  path: z.string().min(1).max(4_096).default("."),
});

export const WorkspaceEntry = z.object({
  name: z.string(),
  path: z.string(),
  kind: z.enum(["file", "folder"]),
  /** The folder's entries. Absent for files. */
  get children() {
    return z.array(WorkspaceEntry).optional();
  },
});
nameSchema("WorkspaceEntry", WorkspaceEntry);

export const WorkspaceTree = namedObject("WorkspaceTree", {
  path: z.string(),
  entries: z.array(WorkspaceEntry),
  /** True if some entries are missing from the list. */
  truncated: z.boolean(),
});
export type WorkspaceTree = z.infer<typeof WorkspaceTree>;

export function workspaceRoutes({
  workspaceTree,
}: {
  workspaceTree(path: string): Promise<WorkspaceTree | { problem: string }>;
}) {
  return [
    route.get(
      "/api/workspace/tree",
      {
        summary: "The project's files, without what .gitignore names",
        query: WorkspaceQuery,
        answer: WorkspaceTree,
      },
      async ({ query: { path } }) => {
        const tree = await workspaceTree(path);
        if ("problem" in tree) throw new CadreError("BAD_REQUEST", `${tree.problem}.`);
        return tree;
      },
    ),
  ];
}
