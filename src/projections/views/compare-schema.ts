// The schema of a comparison of two runs. The projection computes the comparison, and the API returns it.
// The schema has its own file because the page loads the projections but must not load zod.

import { z } from "zod";
import { RunStatus } from "../../journal/events.ts";

const Step = z.object({
  runId: z.string(),
  seq: z.int(),
  kind: z.enum(["heard", "said", "call", "child", "end"]),
  title: z.string(),
  /** The result of a call, or the full text of a message. */
  detail: z.string(),
  childId: z.string().optional(),
  /** The event of another run whose recorded result was used instead of a call. */
  recorded: z.object({ runId: z.string(), seq: z.int() }).optional(),
});

const facts = {
  runId: z.string(),
  agent: z.string(),
  status: RunStatus,
  /** Cost in US dollars of the calls with a known price. */
  cost: z.number(),
  unpriced: z.int(),
  tokens: z.number(),
  ms: z.number(),
};

const NodeFacts = z.object({ ...facts, turns: z.int() });

const TreeFacts = z.object({ ...facts, runs: z.int() });

export const Comparison = z.object({
  /** Pairs of runs from the root down, every parent before its children. A side is absent if that tree has no such run. */
  nodes: z.array(
    z.object({
      agent: z.string(),
      depth: z.int(),
      a: NodeFacts.optional(),
      b: NodeFacts.optional(),
      rows: z.array(z.object({ a: Step.optional(), b: Step.optional(), same: z.boolean() })),
    }),
  ),
  /** The first difference, as indexes into `nodes` and its `rows`. Absent if there is no difference. */
  first: z.object({ node: z.int(), row: z.int() }).optional(),
  a: TreeFacts,
  b: TreeFacts,
});
export type Comparison = z.infer<typeof Comparison>;
