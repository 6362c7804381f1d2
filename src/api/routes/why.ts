// Explains a run's status, and why each event in its tree happened.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { RunRow } from "../../projections/folds/run-row.ts";
import { decisionLog } from "../../projections/views/decision-log.ts";
import { type UnjournaledFacts, whyOf } from "../../projections/views/why.ts";
import { Reason, Why } from "../../projections/views/why-schema.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { findRun, subtreeOf, treeJournals } from "../views/read-runs.ts";
import { markUnreadable } from "../views/unreadable-runs.ts";
import { route } from "./route.ts";
import { Count, namedObject } from "./schemas.ts";

/** `seq` is the number of the event to explain. If absent, the route explains the run's status. */
export const WhyQuery = z.strictObject({ seq: Count.pipe(z.int().min(1)).exactOptional() });

export const WhyView = namedObject("WhyView", {
  ...Why.shape,
  /** The decisions of this run and its descendants, in chronological order. */
  decisions: z.array(Reason),
});
export type WhyView = z.infer<typeof WhyView>;

export const whyRoutes = ({ store }: ApiParts) => [
  route.get(
    "/api/runs/{id}/why",
    {
      summary: "Why a run failed, waits or ended, or why an event happened, and its decision log",
      query: WhyQuery,
      answer: WhyView,
    },
    async ({ params: { id }, query: { seq } }) => {
      const run = await findRun(store, id);
      const journals = await treeJournals(store, run.rootRunId);
      const why = whyOf(journals, run.id, seq, await unjournaledFacts(run, store));
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

async function unjournaledFacts(top: RunRow, store: Store): Promise<UnjournaledFacts> {
  const rows = await markUnreadable(store, await subtreeOf(store, top));
  const quarantined = rows.flatMap(({ id, waitingOn }) =>
    waitingOn?.kind === "quarantine" ? [[id, waitingOn.detail ?? "it cannot be read."] as const] : [],
  );
  const atWork = rows.filter(({ endedAt, waitingOn }) => endedAt === undefined && !waitingOn);
  const drivers = await Promise.all(atWork.map(({ id }) => store.leases.driverOf(id)));
  const idle = atWork.filter((_, index) => drivers[index] === undefined).map(({ id }) => id);
  return { quarantined: new Map(quarantined), idle: new Set(idle) };
}
