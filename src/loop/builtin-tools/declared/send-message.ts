// `send_message`: one main agent sends another a message, through a durable mailbox (D5).

import { z } from "zod";
import { type DeclaredTool, offerOf } from "./declared-tool.ts";

export const SEND_MESSAGE = "send_message";

export const MessageInput = z.object({
  to: z.string().min(1).describe("The main agent that should read it."),
  message: z.string().min(1).describe("What it should know or do. It sees this, not your conversation."),
});

const DESCRIPTION =
  "Send a message to another main agent. It is kept until it is read; you do not wait for an answer.";

const offer = offerOf(SEND_MESSAGE, DESCRIPTION, MessageInput, true);

export const sendMessage: DeclaredTool = {
  name: SEND_MESSAGE,
  kind: "loop",
  effect: "idempotent",
  reaches: ["runtime"],
  target: { kind: "name", field: "to" },
  leavesTree: true,
  // A message can start a run, so a draft (`readOnly`) is not allowed to send messages.
  listedBy: ({ kind, tools, readOnly, mains = [] }) =>
    kind === "main" &&
    !readOnly &&
    (tools.allow?.includes(SEND_MESSAGE) === true ||
      (mains.length > 0 && !tools.deny.includes(SEND_MESSAGE))),
  offered({ definition, state }, gate) {
    if (!sendMessage.listedBy!(definition, gate)) return [];
    const { tools, mains = [] } = definition;
    if (tools.allow?.includes(SEND_MESSAGE)) return offer();
    // A child has its parent to report to. It sends messages only if its file names the tool.
    if (state.start?.parentRunId !== undefined) return [];
    return offer().map((tool) => ({
      ...tool,
      description: `${DESCRIPTION} Main agents: ${mains.join(", ")}.`,
    }));
  },
};
