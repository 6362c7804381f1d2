// Runs: start them, and look at them. Reading changes nothing (A19).

import { isTerminal } from "../../agents/explain/terminal-agents.ts";
import { loadDefinition } from "../../loop/drive/run-journal.ts";
import type { Store } from "../../stores/store.ts";
import { RunDetail, RunsQuery, RunTree, StartRun, Verification } from "../client/types.ts";
import type { ApiParts } from "../parts.ts";
import { readRunTree } from "../run-tree.ts";
import { subtreeOf } from "../subtree.ts";
import { listRuns } from "../views/list-runs.ts";
import { findRun } from "../views/read-runs.ts";
import { runDetail } from "../views/run-detail.ts";
import { readTranscript, summarizeTranscript } from "../views/transcript.ts";
import { verifyRun } from "../views/verify-run.ts";
import { ContextQuery, PageQuery } from "./requests.ts";
import { route } from "./route.ts";
import { Context, MessagePage, ReplayView, RunDefinition, RunPage, Started } from "./wire.ts";

export function runRoutes(parts: ApiParts) {
  const { store, admit, who, people } = parts;
  return [
    route(
      {
        method: "post",
        path: "/api/runs",
        summary: "Start a run",
        body: StartRun,
        answer: Started,
        status: 201,
        idempotent: true,
      },
      async ({ body: { context_files: contextFiles, ...body }, idempotencyKey }, c) => {
        const files = contextFiles === undefined ? {} : { contextFiles };
        const { runId } = await admit({ ...body, ...files, userId: who(c.req.raw) }, idempotencyKey);
        return { runId };
      },
    ),
    route(
      {
        method: "get",
        path: "/api/runs",
        summary: "Runs, newest first",
        query: RunsQuery,
        answer: RunPage,
        etag: true,
      },
      ({ query }) => listRuns(parts, query),
    ),
    route(
      { method: "get", path: "/api/runs/{id}", summary: "One run", answer: RunDetail, etag: true },
      async ({ params: { id } }) => runDetail(store, await findRun(store, id)),
    ),
    route(
      { method: "get", path: "/api/runs/{id}/tree", summary: "A run and all below it", answer: RunTree },
      async ({ params: { id } }) => readRunTree(store, await findRun(store, id)),
    ),
    route(
      {
        method: "get",
        path: "/api/runs/{id}/context",
        summary: "What the model of a run sees",
        query: ContextQuery,
        answer: Context,
      },
      async ({ params: { id }, query: { view } }) => {
        const transcript = await readTranscript(await findRun(store, id), parts);
        return view === "raw" ? transcript : summarizeTranscript(transcript);
      },
    ),
    definitionRoute(store),
    route(
      {
        method: "get",
        path: "/api/runs/{id}/messages",
        summary: "The model calls of a run, one row each",
        query: PageQuery,
        answer: MessagePage,
      },
      async ({ params: { id }, query }) =>
        store.usage.messages({ run: (await findRun(store, id)).id, ...query }),
    ),
    route(
      {
        method: "get",
        path: "/api/runs/{id}/verify",
        summary:
          "Whether the journals of a run and all below it are whole, and what ran is what was approved",
        answer: Verification,
      },
      async ({ params: { id } }) => verifyRun(store, await findRun(store, id), people.digest),
    ),
    replayRoute(parts),
  ];
}

const definitionRoute = (store: Store) =>
  route(
    {
      method: "get",
      path: "/api/runs/{id}/definition",
      summary: "The agent as a run has pinned it",
      answer: RunDefinition,
    },
    async ({ params: { id } }) => {
      const definition = await loadDefinition(store, (await findRun(store, id)).definition);
      return { definition, isTerminal: isTerminal(definition) };
    },
  );

const replayRoute = ({ store, replay }: ApiParts) =>
  route(
    {
      method: "get",
      path: "/api/runs/{id}/replay",
      summary: "Whether a run, and all below it, would be decided now as it was",
      answer: ReplayView,
    },
    async ({ params: { id } }) => {
      const rows = await subtreeOf(store, await findRun(store, id));
      return replay(rows.map((row) => row.id));
    },
  );
