// All queries of the page. The first word of a query's key is its topic. keep-queries-fresh.ts refetches by topic.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { DecisionsFilter, RunsFilter, UsageFilter } from "../../../src/api/client/types.ts";
import { client } from "./client.ts";

/** A query whose data stays fresh until the feed reports a change. */
const query = <Data>(queryKey: readonly unknown[], queryFn: () => Promise<Data>) =>
  queryOptions({ queryKey, queryFn });

/** A query whose data can change without an event. It is fetched again whenever a component starts to use it. */
const unstableQuery = <Data>(queryKey: readonly unknown[], queryFn: () => Promise<Data>) =>
  queryOptions({ queryKey, queryFn, staleTime: 0 });

export const meQuery = query(["me"], () => client.get("/api/me"));

export const healthQuery = query(["health"], () => client.get("/api/health"));

/** Demo only: how the runs recovered from the last crash. */
export const crashReportQuery = (startedAt: number) =>
  query(["plug", startedAt], () => client.get("/api/plug"));

export const checksQuery = unstableQuery(["checks"], async () => (await client.get("/api/checks")).checks);

export const workersQuery = unstableQuery(
  ["workers"],
  async () => (await client.get("/api/workers")).workers,
);

const POLL_MS = 5_000;

/** Whether any worker is running, and how many runs wait for a worker. The page also polls this query, because a dying worker sends no event. */
export const driversQuery = queryOptions({
  queryKey: ["runs", "drivers"],
  queryFn: () => client.get("/api/health"),
  refetchInterval: POLL_MS,
});

/** Other projects of this user. Their changes reach no feed of this page, so it asks again. */
export const otherProjectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: async () => (await client.get("/api/projects")).projects,
  refetchInterval: 3 * POLL_MS,
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
    // Shows the previous count while the new count loads.
    placeholderData: (before: number | undefined) => before,
  });

/** The changes that an undo of the run would make. They can differ each time, because any program can change the files. */
export const undoQuery = (id: string) =>
  unstableQuery(["undo", id], () => client.get("/api/runs/{id}/undo", { id }));

/** U45: runs that wait because a model provider refused a request or asked Cadre to wait. */
export const providerWaitsQuery = query(["runs", "provider-waits"], () =>
  client.get("/api/runs", { waiting: "provider", limit: 100, total: true }),
);

export const runQuery = (runId: string) =>
  query(["run", runId], () => client.get("/api/runs/{id}", { id: runId }));

export const approvalsQuery = query(
  ["approvals"],
  async () => (await client.get("/api/approvals")).approvals,
);

/** The decision history. */
export const decisionsQuery = (filter: Omit<DecisionsFilter, "limit" | "cursor">) =>
  infiniteQueryOptions({
    queryKey: ["measures", "decisions", filter],
    queryFn: ({ pageParam }) =>
      client.get("/api/decisions", { ...filter, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const usersQuery = query(["users"], async () => (await client.get("/api/users")).users);

export const suggestionsQuery = query(["suggestions"], () => client.get("/api/permissions/suggestions"));

export const grantsQuery = query(["grants"], async () => (await client.get("/api/grants")).grants);

export const agentsQuery = query(["agents"], () => client.post("/api/agents/reload"));

export const agentQuery = (name: string) =>
  query(["agents", name], () => client.get("/api/agents/{name}", { name }));

export const explanationQuery = (name: string) =>
  query(["agents", name, "explain"], () => client.get("/api/agents/{name}/explain", { name }));

/** This query is sent only when the user asks for a replay, because the server must read many journals. */
export const agentReplayQuery = (name: string) =>
  queryOptions({
    queryKey: ["agents", name, "replay"],
    queryFn: () => client.get("/api/agents/{name}/replay", { name }),
    enabled: false,
  });

// Statistics over many runs have the topic "measures" and are refreshed more slowly.

export const activityQuery = unstableQuery(["measures", "activity"], () => client.get("/api/activity"));

export const versionsQuery = (name: string) =>
  unstableQuery(["measures", "versions", name], () => client.get("/api/agents/{name}/versions", { name }));

export const usageQuery = (filter: UsageFilter) =>
  unstableQuery(["measures", "usage", filter], () => client.get("/api/usage", filter));

export const compareQuery = (a: string, b: string) =>
  unstableQuery(["measures", "compare", a, b], () => client.get("/api/compare", { a, b }));

/** The definition with a given hash never changes. */
export const definitionQuery = (hash: string) =>
  query(["definition", hash], () => client.get("/api/definitions/{hash}", { hash }));

export const sessionsQuery = query(["sessions"], () => client.get("/api/sessions"));

export const settingsQuery = query(["settings"], () => client.get("/api/settings"));

/** A run keeps the definition that it started with, so this data never changes. */
export const runDefinitionQuery = (runId: string) =>
  query(["run-definition", runId], () => client.get("/api/runs/{id}/definition", { id: runId }));

export const transcriptQuery = (runId: string, seq: number) =>
  query(["transcript", runId, seq], () => client.transcript(runId));

/** The exact request of a model call. A request that was sent never changes, but its outcome can still follow. */
export const requestQuery = (runId: string, seq: number) =>
  query(["request", runId, seq], () => client.get("/api/runs/{id}/request", { id: runId, seq }));

/** The rows of a run and all runs below it, without their journals. */
export const treeQuery = (runId: string) =>
  query(["tree", runId], () => client.get("/api/runs/{id}/tree", { id: runId }));

/** Forks and retries of a tree's runs. */
export const branchesQuery = (rootId: string) =>
  query(
    ["runs", "branches", rootId],
    async () => (await client.get("/api/runs", { branchesOf: rootId, limit: 20 })).runs,
  );

/** Open requests of a tree. */
export const treeApprovalsQuery = (rootId: string) =>
  query(["approvals", rootId], async () => (await client.get("/api/approvals", { run: rootId })).approvals);

/** The server's check and preview of an edited input. */
export const editPreviewQuery = (id: string, input: unknown) =>
  queryOptions({
    queryKey: ["edit-preview", id, input],
    queryFn: () => client.post("/api/approvals/{id}/preview", { id, body: { input } }),
    gcTime: 60_000,
  });
