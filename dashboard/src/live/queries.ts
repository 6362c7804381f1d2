// Everything that pages ask the server for, by name. The first word of a key says what it is about: follow-feed.ts
// knows by it what to ask again.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { RunsFilter } from "../../../src/api/schema.ts";
import { client } from "./client.ts";

export const healthQuery = queryOptions({ queryKey: ["health"], queryFn: () => client.health() });

export const runsQuery = (filter: RunsFilter) =>
  infiniteQueryOptions({
    queryKey: ["runs", filter],
    queryFn: ({ pageParam }) => client.runs({ ...filter, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const runQuery = (runId: string) =>
  queryOptions({ queryKey: ["run", runId], queryFn: () => client.run(runId) });

export const approvalsQuery = queryOptions({
  queryKey: ["approvals"],
  queryFn: () => client.approvals(),
});

export const grantsQuery = queryOptions({ queryKey: ["grants"], queryFn: () => client.grants() });

export const agentsQuery = queryOptions({ queryKey: ["agents"], queryFn: () => client.reloadAgents() });

export const agentQuery = (name: string) =>
  queryOptions({ queryKey: ["agents", name], queryFn: () => client.agent(name) });

export const explanationQuery = (name: string) =>
  queryOptions({ queryKey: ["agents", name, "explain"], queryFn: () => client.explain(name) });

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => client.sessions(),
});

export const settingsQuery = queryOptions({ queryKey: ["settings"], queryFn: () => client.settings() });

export const transcriptQuery = (runId: string, seq: number) =>
  queryOptions({ queryKey: ["transcript", runId, seq], queryFn: () => client.transcript(runId) });

/** What would come of an approval with another input: asked again when another is thought of. */
export const editPreviewQuery = (id: string, input: unknown) =>
  queryOptions({
    queryKey: ["edit-preview", id, input],
    queryFn: () => client.previewEdit(id, input),
    gcTime: 60_000,
  });
