// Connects a session to its editor, and to the API that handles the person's messages.

import { type AgentContext, methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import type { WithClient } from "../mcp/tool.ts";

export interface EditorConnection {
  sessionId: string;
  ask: WithClient;
  editor: AgentContext;
  /** Aborted when the editor's connection ends. */
  signal: AbortSignal;
}

export const sendUpdate = ({ editor, sessionId }: EditorConnection, update: SessionUpdate): Promise<void> =>
  editor.notify(methods.client.session.update, { sessionId, update });

export async function sendText(
  connection: EditorConnection,
  text: string,
  as: "message" | "thought" = "message",
): Promise<void> {
  if (text !== "")
    await sendUpdate(connection, { sessionUpdate: `agent_${as}_chunk`, content: { type: "text", text } });
}
