// The project's files, for a person who looks (S4-54).

import { CadreError } from "../../errors.ts";
import type { ApiParts } from "../parts.ts";
import { WorkspaceQuery } from "./requests.ts";
import { route } from "./route.ts";
import { WorkspaceTree } from "./wire.ts";

export function workspaceRoutes({ workspaceTree }: ApiParts) {
  return [
    route(
      {
        method: "get",
        path: "/api/workspace/tree",
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
