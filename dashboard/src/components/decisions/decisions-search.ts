import { omitUndefined } from "../../../../src/omit-undefined.ts";
import { oneOf, type Params, textParam } from "../../ui/search-params.ts";

const DECISIONS = ["approve", "edit", "reject", "answer", "expire"] as const;

export type DecisionsSearch = ReturnType<typeof parseDecisionsSearch>;

/** The decision history: only decisions of a person, for a tool, an agent or a rule, or with these words. */
export const parseDecisionsSearch = ({ by, tool, agent, rule, decision, q }: Params) =>
  omitUndefined({
    by: textParam(by),
    tool: textParam(tool),
    agent: textParam(agent),
    rule: textParam(rule),
    decision: oneOf(DECISIONS, decision),
    q: typeof q === "number" ? String(q) : textParam(q),
  });
