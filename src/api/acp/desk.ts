// Where a session's person sits: what they are shown, and the API that what they say goes to.

import { type AgentContext, methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import type { Ask } from "../mcp/tool.ts";

export interface Desk {
  sessionId: string;
  ask: Ask;
  editor: AgentContext;
  /** Aborted when the connection is over. */
  signal: AbortSignal;
}

export const show = ({ editor, sessionId }: Desk, update: SessionUpdate): Promise<void> =>
  editor.notify(methods.client.session.update, { sessionId, update });

export async function say(desk: Desk, text: string, as: "message" | "thought" = "message"): Promise<void> {
  if (text !== "") await show(desk, { sessionUpdate: `agent_${as}_chunk`, content: { type: "text", text } });
}
