// Why a run stands where it stands, and why each thing in its tree happened.

import { CadreError } from "../../errors.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { decisionLog } from "../../projections/views/decision-log.ts";
import { type UnjournaledFacts, whyOf } from "../../projections/views/why.ts";
import type { Store } from "../../stores/store.ts";
import { WhyQuery, WhyView } from "../client/types.ts";
import type { ApiParts } from "../parts.ts";
import { subtreeOf } from "../subtree.ts";
import { treeJournals } from "../tree-journals.ts";
import { findRun } from "../views/read-runs.ts";
import { markUnreadable } from "../views/unreadable-runs.ts";
import { route } from "./route.ts";

export const whyRoutes = ({ store }: ApiParts) => [
  route(
    {
      method: "get",
      path: "/api/runs/{id}/why",
      summary: "Why a run failed, waits or ended, or why an event of it came about, and its decision log",
      query: WhyQuery,
      answer: WhyView,
    },
    async ({ params: { id }, query: { seq } }) => {
      const run = await findRun(store, id);
      const journals = await treeJournals(store, run.rootRunId);
      const why = whyOf(journals, run.id, seq, await besideOf(run, store));
      if (why) return { ...why, decisions: decisionLog(journals, run.id) };
      throw new CadreError(
        "NOT_FOUND",
        seq === undefined
          ? `The journal of run ${run.id} cannot be read. \`cadre verify ${run.id}\` says where it is damaged.`
          : `There is no event ${seq} in run ${run.id}: it has ${run.seq}.`,
      );
    },
  ),
];

async function besideOf(top: RunRow, store: Store): Promise<UnjournaledFacts> {
  const rows = await markUnreadable(store, await subtreeOf(store, top));
  const aside = rows.flatMap(({ id, waitingOn }) =>
    waitingOn?.kind === "quarantine" ? [[id, waitingOn.detail ?? "it cannot be read."] as const] : [],
  );
  const atWork = rows.filter(({ endedAt, waitingOn }) => endedAt === undefined && !waitingOn);
  const drivers = await Promise.all(atWork.map(({ id }) => store.leases.driverOf(id)));
  const idle = atWork.filter((_, index) => drivers[index] === undefined).map(({ id }) => id);
  return { quarantined: new Map(aside), idle: new Set(idle) };
}
