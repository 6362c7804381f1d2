// All queries of the page. The first word of a key is its topic, which keep-queries-fresh.ts uses to decide what to
// refetch.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { RunsFilter, UsageFilter } from "../../../src/api/client/types.ts";
import { client } from "./client.ts";

export const healthQuery = queryOptions({ queryKey: ["health"], queryFn: () => client.get("/api/health") });

/** Demo only: how the runs recovered from the last crash. */
export const crashReportQuery = (startedAt: number) =>
  queryOptions({ queryKey: ["plug", startedAt], queryFn: () => client.get("/api/plug") });

/** Always refetched, because the results change without an event. */
export const checksQuery = queryOptions({
  queryKey: ["checks"],
  queryFn: () => client.get("/api/checks").then(({ checks }) => checks),
  staleTime: 0,
});

/** Always refetched: workers come and go without an event. */
export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: () => client.get("/api/workers").then(({ workers }) => workers),
  staleTime: 0,
});

const POLL_MS = 5_000;

/** Whether any worker is running and how many runs wait for one. Also polled, because a dying worker sends no event. */
export const driversQuery = queryOptions({
  queryKey: ["runs", "drivers"],
  queryFn: () => client.get("/api/health"),
  refetchInterval: POLL_MS,
});

export const runsQuery = (filter: RunsFilter) =>
  infiniteQueryOptions({
    queryKey: ["runs", filter],
    queryFn: ({ pageParam }) =>
      client.get("/api/runs", { ...filter, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const runCountQuery = (filter: RunsFilter) =>
  queryOptions({
    queryKey: ["runs", "count", filter],
    queryFn: async () => (await client.get("/api/runs", { ...filter, limit: 1, total: true })).total ?? 0,
    // The previous count is close enough while the new one loads.
    placeholderData: (before: number | undefined) => before,
  });

/** U45: runs that wait because a provider refused a request or asked to wait. */
export const providerWaitsQuery = queryOptions({
  queryKey: ["runs", "provider-waits"],
  queryFn: () => client.get("/api/runs", { waiting: "provider", limit: 100, total: true }),
});

export const runQuery = (runId: string) =>
  queryOptions({ queryKey: ["run", runId], queryFn: () => client.get("/api/runs/{id}", { id: runId }) });

export const approvalsQuery = queryOptions({
  queryKey: ["approvals"],
  queryFn: () => client.get("/api/approvals").then(({ approvals }) => approvals),
});

export const usersQuery = queryOptions({
  queryKey: ["users"],
  queryFn: () => client.get("/api/users").then(({ users }) => users),
});

export const suggestionsQuery = queryOptions({
  queryKey: ["suggestions"],
  queryFn: () => client.get("/api/permissions/suggestions"),
});
export const grantsQuery = queryOptions({
  queryKey: ["grants"],
  queryFn: () => client.get("/api/grants").then(({ grants }) => grants),
});

export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: () => client.post("/api/agents/reload"),
});

export const agentQuery = (name: string) =>
  queryOptions({ queryKey: ["agents", name], queryFn: () => client.get("/api/agents/{name}", { name }) });

export const explanationQuery = (name: string) =>
  queryOptions({
    queryKey: ["agents", name, "explain"],
    queryFn: () => client.get("/api/agents/{name}/explain", { name }),
  });

/** Reads many journals, so it runs only on request. */
export const agentReplayQuery = (name: string) =>
  queryOptions({
    queryKey: ["agents", name, "replay"],
    queryFn: () => client.get("/api/agents/{name}/replay", { name }),
    enabled: false,
  });

// Statistics over many runs, refreshed more slowly.

export const activityQuery = queryOptions({
  queryKey: ["measures", "activity"],
  queryFn: () => client.get("/api/activity"),
  staleTime: 0,
});

export const versionsQuery = (name: string) =>
  queryOptions({
    queryKey: ["measures", "versions", name],
    queryFn: () => client.get("/api/agents/{name}/versions", { name }),
    staleTime: 0,
  });

export const usageQuery = (filter: UsageFilter) =>
  queryOptions({
    queryKey: ["measures", "usage", filter],
    queryFn: () => client.get("/api/usage", filter),
    staleTime: 0,
  });

/** Never changes: it is addressed by its hash. */
export const definitionQuery = (hash: string) =>
  queryOptions({
    queryKey: ["definition", hash],
    queryFn: () => client.get("/api/definitions/{hash}", { hash }),
  });

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => client.get("/api/sessions"),
});

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: () => client.get("/api/settings"),
});

/** Never changes: it was pinned when the run started. */
export const runDefinitionQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run-definition", runId],
    queryFn: () => client.get("/api/runs/{id}/definition", { id: runId }),
  });

export const transcriptQuery = (runId: string, seq: number) =>
  queryOptions({ queryKey: ["transcript", runId, seq], queryFn: () => client.transcript(runId) });

/** The rows of a run and all runs below it, without their journals. */
export const treeQuery = (runId: string) =>
  queryOptions({
    queryKey: ["tree", runId],
    queryFn: () => client.get("/api/runs/{id}/tree", { id: runId }),
  });

/** Forks and retries of a tree's runs. */
export const branchesQuery = (rootId: string) =>
  queryOptions({
    queryKey: ["runs", "branches", rootId],
    queryFn: async () => (await client.get("/api/runs", { branchesOf: rootId, limit: 20 })).runs,
  });

export const compareQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: ["measures", "compare", a, b],
    queryFn: () => client.get("/api/compare", { a, b }),
    staleTime: 0,
  });

/** Open requests of a tree. */
export const treeApprovalsQuery = (rootId: string) =>
  queryOptions({
    queryKey: ["approvals", rootId],
    queryFn: () => client.get("/api/approvals", { run: rootId }).then(({ approvals }) => approvals),
  });
/** The server's check and preview of an edited input. */
export const editPreviewQuery = (id: string, input: unknown) =>
  queryOptions({
    queryKey: ["edit-preview", id, input],
    queryFn: () => client.post("/api/approvals/{id}/preview", { id, body: { input } }),
    gcTime: 60_000,
  });
