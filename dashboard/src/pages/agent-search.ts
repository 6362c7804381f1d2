// What is shown of one agent, as it stands in the address.

export const AGENT_TABS = ["overview", "file", "reach", "runs"] as const;
export type AgentTab = (typeof AGENT_TABS)[number];

export interface AgentSearch {
  tab?: AgentTab;
  /** Only runs that had pinned this definition. */
  version?: string;
  /** The line of the file that is looked at. */
  line?: number;
}

export function parseAgentSearch(search: Record<string, unknown>): AgentSearch {
  const tab = AGENT_TABS.find((each) => each === search["tab"]);
  const { version, line } = search;
  return {
    ...(tab === undefined ? {} : { tab }),
    ...(typeof version === "string" && version !== "" ? { version } : {}),
    ...(Number.isInteger(line) && Number(line) > 0 ? { line: Number(line) } : {}),
  };
}
