import type { MessageRow } from "./message-rows.ts";

interface MessageNode {
  message: MessageRow;
  children: MessageNode[];
}

/** A session as a tree. Each model call contains the calls that it caused in other agents. */
export function messageTree(rows: Iterable<MessageRow>): MessageNode[] {
  const nodes = new Map<number, MessageNode>();
  const tops: MessageNode[] = [];
  for (const message of [...rows].sort((a, b) => a.id - b.id)) {
    const node = { message, children: [] };
    nodes.set(message.id, node);
    (nodes.get(message.parent_message_id ?? 0)?.children ?? tops).push(node);
  }
  return tops;
}

export const childrenOf = (rows: Iterable<MessageRow>, messageId: number): MessageRow[] =>
  [...rows].filter((row) => row.parent_message_id === messageId).sort((a, b) => a.id - b.id);
