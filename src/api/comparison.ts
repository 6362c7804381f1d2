// The form in which a comparison of two runs is answered.

import { z } from "zod";
import { RunStatus } from "../journal/events.ts";

const Step = z.object({
  runId: z.string(),
  seq: z.int(),
  kind: z.enum(["heard", "said", "call", "child", "end"]),
  title: z.string(),
  /** What came of it, or all that was said. */
  detail: z.string(),
  childId: z.string().optional(),
  /** The result of another run that stood in. */
  recorded: z.object({ runId: z.string(), seq: z.int() }).optional(),
});

const facts = {
  runId: z.string(),
  agent: z.string(),
  status: RunStatus,
  /** US dollars, of the calls with a known price. */
  cost: z.number(),
  unpriced: z.int(),
  tokens: z.number(),
  ms: z.number(),
};
const NodeFacts = z.object({ ...facts, turns: z.int() });
const TreeFacts = z.object({ ...facts, runs: z.int() });

export const Comparison = z.object({
  /** From the root down, a parent before its children. A side that is absent has no such run. */
  nodes: z.array(
    z.object({
      agent: z.string(),
      depth: z.int(),
      a: NodeFacts.optional(),
      b: NodeFacts.optional(),
      rows: z.array(z.object({ a: Step.optional(), b: Step.optional(), same: z.boolean() })),
    }),
  ),
  /** Where they first differ: places in `nodes` and in its `rows`. Absent: nowhere. */
  first: z.object({ node: z.int(), row: z.int() }).optional(),
  a: TreeFacts,
  b: TreeFacts,
});
export type Comparison = z.infer<typeof Comparison>;
