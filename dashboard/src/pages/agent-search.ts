// The URL state of an agent's page.

import { omitUndefined } from "../../../src/omit-undefined.ts";
import { textParam } from "../ui/search-params.ts";

export const AGENT_TABS = ["overview", "file", "reach", "runs"] as const;
export type AgentTab = (typeof AGENT_TABS)[number];

export interface AgentSearch {
  tab?: AgentTab;
  /** Shows only runs with this definition hash. */
  version?: string;
  /** The highlighted line of the file. */
  line?: number;
}

export function parseAgentSearch(search: Record<string, unknown>): AgentSearch {
  const tab = AGENT_TABS.find((each) => each === search["tab"]);
  const { version, line } = search;
  return omitUndefined({
    tab,
    version: textParam(version),
    line: Number.isInteger(line) && Number(line) > 0 ? Number(line) : undefined,
  });
}
