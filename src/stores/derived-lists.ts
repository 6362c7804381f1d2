// Lists of what is computed from the journals: messages, decisions of people, and the usage of trees.

import { MESSAGE_COLUMNS, type MessageRow } from "../projections/formats/message-rows.ts";
import type { TreeUsage } from "../projections/usage/tree-usage.ts";
import type { CommonSql } from "./common-queries.ts";
import { createParameters } from "./run-lists.ts";
import type { DecisionFilter, DecisionRef, MessageFilter, TreeUsageFilter } from "./store.ts";
import { ask, type Steps } from "./transaction/transaction.ts";

const DEFAULT_PAGE = 50;

/** Chooses the calls first, so that the view computes only the rows of this page. */
export function* listMessages(
  sql: CommonSql,
  { session, parent, run, role, user, cursor, limit = DEFAULT_PAGE }: MessageFilter,
): Steps<{ messages: MessageRow[]; nextCursor: string | undefined }> {
  const { values, parameter } = createParameters();
  const conditions = ["event.type = 'MODEL_CALL_STARTED'"];
  if (user !== undefined) conditions.push(`run.user_id = ${parameter(user)}`);
  if (session !== undefined) {
    const id = parameter(session);
    conditions.push(`(run.session = ${id} OR (run.session IS NULL AND run.root = ${id}))`);
  }
  if (parent !== undefined) {
    conditions.push(`run.parent = (SELECT caller.id FROM runs AS caller
      WHERE caller.n = (SELECT asked.run FROM events AS asked WHERE asked.position = ${parameter(parent)}))`);
  }
  if (run !== undefined) conditions.push(`run.id = ${parameter(run)}`);
  if (role !== undefined) conditions.push(`run.agent = ${parameter(role)}`);
  if (cursor !== undefined) conditions.push(`event.position > ${parameter(Number(cursor))}`);
  const calls = `SELECT event.position FROM runs AS run JOIN events AS event ON event.run = run.n
    WHERE ${conditions.join(" AND ")}`;
  // All rows of the calling run's children are needed here: a call has few children.
  const page = parent === undefined ? `ORDER BY event.position LIMIT ${parameter(limit + 1)}` : "";
  const ofParent = parent === undefined ? "" : `AND parent_message_id = ${parameter(parent)}`;
  const text = `SELECT ${MESSAGE_COLUMNS.join(", ")} FROM messages WHERE id IN (${calls} ${page}) ${ofParent}
    ORDER BY id LIMIT ${parameter(limit + 1)}`;
  const rows = yield* ask(sql.all(text, ...values));
  const messages = rows.slice(0, limit).map((columns) => ({ ...columns }) as unknown as MessageRow);
  const last = rows.length > limit ? messages.at(-1) : undefined;
  return { messages, nextCursor: last && String(last.id) };
}

export function* listTreeUsages(
  sql: CommonSql,
  { since = 0, cursor = "", limit }: TreeUsageFilter,
): Steps<{ trees: TreeUsage[]; nextCursor: string | undefined }> {
  const text =
    "SELECT root, usage FROM tree_usages WHERE root > $1 AND updated_at >= $2 ORDER BY root LIMIT $3";
  const rows = yield* ask(sql.all(text, cursor, since, limit));
  const trees = rows.map(({ usage }) => JSON.parse(usage as string) as TreeUsage);
  return { trees, nextCursor: rows.length < limit ? undefined : (rows.at(-1)!["root"] as string) };
}

/** An index finds the decisions. The proposal of a decided call has the same key, apart from its ending. */
export function* listDecisions(
  sql: CommonSql,
  { agent, user, before, limit }: DecisionFilter,
): Steps<DecisionRef[]> {
  const { values, parameter } = createParameters();
  const conditions = ["decided.type = 'APPROVAL_DECIDED'"];
  if (agent !== undefined) conditions.push(`runs.agent = ${parameter(agent)}`);
  if (user !== undefined) conditions.push(`runs.user_id = ${parameter(user)}`);
  if (before !== undefined) conditions.push(`decided.position < ${parameter(before)}`);
  const earlier = (condition: string): string => `(SELECT max(earlier.seq) FROM events AS earlier
      WHERE earlier.run = decided.run AND earlier.seq < decided.seq AND ${condition})`;
  const text = `SELECT runs.id, runs.agent, decided.position, decided.seq,
      ${earlier("earlier.key = substr(decided.key, 1, length(decided.key) - 2) || '/p'")} AS proposal,
      ${earlier("earlier.type = 'AGENT_THOUGHT'")} AS thought
    FROM events AS decided JOIN runs ON runs.n = decided.run
    WHERE ${conditions.join(" AND ")} ORDER BY decided.position DESC LIMIT ${parameter(limit)}`;
  const rows = yield* ask(sql.all(text, ...values));
  return rows.map((columns) => ({
    runId: columns["id"] as string,
    agent: columns["agent"] as string,
    position: Number(columns["position"]),
    seq: Number(columns["seq"]),
    proposal: columns["proposal"] === null ? undefined : Number(columns["proposal"]),
    thought: columns["thought"] === null ? undefined : Number(columns["thought"]),
  }));
}
