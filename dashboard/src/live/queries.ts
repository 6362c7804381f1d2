// Everything that pages ask the server for, by name. The first word of a key says what it is about: follow-feed.ts
// knows by it what to ask again.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { RunsFilter, UsageFilter } from "../../../src/api/client/types.ts";
import { client } from "./client.ts";

export const healthQuery = queryOptions({ queryKey: ["health"], queryFn: () => client.health() });

/** Of a demo's server: what became of the runs when the one before it was killed. */
export const crashReportQuery = (startedAt: number) =>
  queryOptions({ queryKey: ["plug", startedAt], queryFn: () => client.plug() });

/** Asked anew by whoever looks: what it tells of changes without an event. */
export const checksQuery = queryOptions({
  queryKey: ["checks"],
  queryFn: () => client.checks(),
  staleTime: 0,
});

/** Workers come and go without an event, too. */
export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: () => client.workers(),
  staleTime: 0,
});

const LOOK_MS = 5_000;

/** Whether anybody drives, and what waits for it: asked again after events, and on a timer, for a worker that dies tells nobody. */
export const driversQuery = queryOptions({
  queryKey: ["runs", "drivers"],
  queryFn: () => client.health(),
  refetchInterval: LOOK_MS,
});

export const runsQuery = (filter: RunsFilter) =>
  infiniteQueryOptions({
    queryKey: ["runs", filter],
    queryFn: ({ pageParam }) => client.runs({ ...filter, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const runCountQuery = (filter: RunsFilter) =>
  queryOptions({
    queryKey: ["runs", "count", filter],
    queryFn: async () => (await client.runs({ ...filter, limit: 1, total: true })).total ?? 0,
    // What is counted up to another time is nearly the same.
    placeholderData: (before: number | undefined) => before,
  });

/** U45: who waits because a provider refused, or asked to wait. */
export const providerWaitsQuery = queryOptions({
  queryKey: ["runs", "provider-waits"],
  queryFn: () => client.runs({ waiting: "provider", limit: 100, total: true }),
});

export const runQuery = (runId: string) =>
  queryOptions({ queryKey: ["run", runId], queryFn: () => client.run(runId) });

export const approvalsQuery = queryOptions({
  queryKey: ["approvals"],
  queryFn: () => client.approvals(),
});

export const usersQuery = queryOptions({ queryKey: ["users"], queryFn: () => client.users() });

export const suggestionsQuery = queryOptions({
  queryKey: ["suggestions"],
  queryFn: () => client.suggestions(),
});
export const grantsQuery = queryOptions({ queryKey: ["grants"], queryFn: () => client.grants() });

export const agentsQuery = queryOptions({ queryKey: ["agents"], queryFn: () => client.reloadAgents() });

export const agentQuery = (name: string) =>
  queryOptions({ queryKey: ["agents", name], queryFn: () => client.agent(name) });

export const explanationQuery = (name: string) =>
  queryOptions({ queryKey: ["agents", name, "explain"], queryFn: () => client.explain(name) });

/** Reads many journals: only when somebody wants it. */
export const agentReplayQuery = (name: string) =>
  queryOptions({
    queryKey: ["agents", name, "replay"],
    queryFn: () => client.replayAgent(name),
    enabled: false,
  });

// What is summed up over many runs: asked again at a slower pace.

export const activityQuery = queryOptions({
  queryKey: ["measures", "activity"],
  queryFn: () => client.activity(),
  staleTime: 0,
});

export const versionsQuery = (name: string) =>
  queryOptions({
    queryKey: ["measures", "versions", name],
    queryFn: () => client.agentVersions(name),
    staleTime: 0,
  });

export const usageQuery = (filter: UsageFilter) =>
  queryOptions({
    queryKey: ["measures", "usage", filter],
    queryFn: () => client.usage(filter),
    staleTime: 0,
  });

/** Never changes: its name is its hash. */
export const definitionQuery = (hash: string) =>
  queryOptions({ queryKey: ["definition", hash], queryFn: () => client.definition(hash) });

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => client.sessions(),
});

export const settingsQuery = queryOptions({ queryKey: ["settings"], queryFn: () => client.settings() });

/** Never changes: it was pinned when the run started. */
export const runDefinitionQuery = (runId: string) =>
  queryOptions({ queryKey: ["run-definition", runId], queryFn: () => client.runDefinition(runId) });

export const transcriptQuery = (runId: string, seq: number) =>
  queryOptions({ queryKey: ["transcript", runId, seq], queryFn: () => client.transcript(runId) });

/** The rows of a run and all below it: where each stands, without reading a journal. */
export const treeQuery = (runId: string) =>
  queryOptions({ queryKey: ["tree", runId], queryFn: () => client.tree(runId) });

/** Forks and retries of runs of a tree. */
export const branchesQuery = (rootId: string) =>
  queryOptions({
    queryKey: ["runs", "branches", rootId],
    queryFn: async () => (await client.runs({ branchesOf: rootId, limit: 20 })).runs,
  });

export const compareQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: ["measures", "compare", a, b],
    queryFn: () => client.compare(a, b),
    staleTime: 0,
  });

/** What waits for a person in a tree. */
export const treeApprovalsQuery = (rootId: string) =>
  queryOptions({ queryKey: ["approvals", rootId], queryFn: () => client.approvals({ runId: rootId }) });
/** What would come of an approval with another input: asked again when another is thought of. */
export const editPreviewQuery = (id: string, input: unknown) =>
  queryOptions({
    queryKey: ["edit-preview", id, input],
    queryFn: () => client.previewEdit(id, input),
    gcTime: 60_000,
  });
