// The state that most pages keep in the URL. The list of runs (runs-search.ts) and a run's page (run-search.ts) have their own files.

import { omitUndefined } from "../../../src/omit-undefined.ts";
import { RANGES } from "../components/usage/usage-range.ts";
import { GROUP_NAMES } from "../components/usage/usage-tables.ts";
import { oneOf, type Params, textParam } from "../ui/search-params.ts";

const AGENT_TABS = ["overview", "file", "reach", "runs"] as const;
export type AgentTab = (typeof AGENT_TABS)[number];

/** An agent's page. `version` limits the list to runs with this definition hash; `line` is the highlighted line of the file. */
export const parseAgentSearch = ({ tab, version, line }: Params) =>
  omitUndefined({
    tab: oneOf(AGENT_TABS, tab),
    version: textParam(version),
    line: Number.isInteger(line) && Number(line) > 0 ? Number(line) : undefined,
  });

const AGENT_VIEWS = ["graph", "list", "problems"] as const;
export type AgentsView = (typeof AGENT_VIEWS)[number];
export type AgentsSearch = ReturnType<typeof parseAgentsSearch>;

/** The agents page. The scope `all` includes built-in agents. */
export const parseAgentsSearch = ({ view, scope, q }: Params) =>
  omitUndefined({
    view: oneOf(AGENT_VIEWS, view),
    scope: oneOf(["all"] as const, scope),
    q: typeof q === "string" && q !== "" ? q : undefined,
  });

/** The ids of the two runs to compare. */
export const parseCompareSearch = ({ a, b }: Params) => omitUndefined({ a: textParam(a), b: textParam(b) });

/** U20: the selected request of the inbox. U28: if `together` is set, the user answers it together with similar requests. */
export const parseInboxSearch = ({ item, together }: Params) => {
  const id = typeof item === "string" && item !== "" ? item : undefined;
  return omitUndefined({ item: id, together: id && together === true ? (true as const) : undefined });
};

const USAGE_GROUPS = GROUP_NAMES.filter((name) => name !== "agent");

/** The usage page. The table and the plots are grouped by agent unless `by` is set. `root` selects a run and all runs below it. */
export const parseUsageSearch = ({ range, by, root }: Params) =>
  omitUndefined({
    range: oneOf(RANGES, range),
    by: oneOf(USAGE_GROUPS, by),
    root: textParam(root),
  });
