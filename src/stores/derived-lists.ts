// Lists from the tables that are computed from the journals: messages, and the usage of trees.

import { MESSAGE_COLUMNS, type MessageRow } from "../projections/formats/message-rows.ts";
import type { TreeUsage } from "../projections/usage/tree-usage.ts";
import type { CommonSql } from "./common-queries.ts";
import { createParameters } from "./run-lists.ts";
import type { MessageFilter, TreeUsageFilter } from "./store.ts";
import { ask, type Steps } from "./transaction/transaction.ts";

const DEFAULT_PAGE = 50;

/** `runColumn` is the SQL expression for the run's id in a row of `messages`. */
export function* listMessages(
  sql: CommonSql,
  { session, parent, run, role, user, cursor, limit = DEFAULT_PAGE }: MessageFilter,
  runColumn: string,
): Steps<{ messages: MessageRow[]; nextCursor: string | undefined }> {
  const { values, parameter } = createParameters();
  const ofUser = user === undefined ? "" : `WHERE user_id = ${parameter(user)}`;
  // While a run is being pruned, its messages are not listed.
  const conditions = [`${runColumn} IN (SELECT id FROM runs ${ofUser})`];
  if (session !== undefined) conditions.push(`session_id = ${parameter(session)}`);
  if (parent !== undefined) conditions.push(`parent_message_id = ${parameter(parent)}`);
  if (run !== undefined) conditions.push(`${runColumn} = ${parameter(run)}`);
  if (role !== undefined) conditions.push(`agent_role = ${parameter(role)}`);
  if (cursor !== undefined) conditions.push(`id > ${parameter(Number(cursor))}`);
  const text = `SELECT ${MESSAGE_COLUMNS.join(", ")} FROM messages WHERE ${conditions.join(" AND ")}
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
