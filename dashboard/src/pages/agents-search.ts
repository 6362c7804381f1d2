// The URL state of the agents page.

import { omitUndefined } from "../../../src/omit-undefined.ts";

export const AGENT_VIEWS = ["graph", "list", "problems"] as const;
export type AgentsView = (typeof AGENT_VIEWS)[number];

export interface AgentsSearch {
  view?: AgentsView;
  /** `all` includes built-in agents. */
  scope?: "all";
  q?: string;
}

export function parseAgentsSearch(search: Record<string, unknown>): AgentsSearch {
  const view = AGENT_VIEWS.find((each) => each === search["view"]);
  const { q, scope } = search;
  return omitUndefined({
    view,
    scope: scope === "all" ? ("all" as const) : undefined,
    q: typeof q === "string" && q !== "" ? q : undefined,
  });
}
