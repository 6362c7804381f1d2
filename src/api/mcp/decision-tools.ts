// MCP tools for a person's decisions.
// A decision applies to exactly the call that was shown, and the journal records that the decision came through MCP.

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { omitUndefined } from "../../omit-undefined.ts";
import type { DecisionBody } from "../client/types.ts";
import { type McpTool, mcpTool, type ToolAnswer, type WithClient } from "./tool.ts";

const approvalId = z.string().min(1).describe("From `needs` of run_status, or from cadre://approvals.");
const note = z.string().optional().describe("A comment for the record; the agent reads it with a rejection.");
const runId = z.string().min(1).describe("The run's id, or the beginning of it.");

const approve = mcpTool({
  name: "approve",
  title: "Approve a call",
  description:
    "Lets a call of an agent happen, exactly as it was shown, or with another input. Show it to a person first: it is their decision.",
  kind: "decides",
  input: z.strictObject({
    approvalId,
    note,
    scope: z.enum(["once", "run", "tree", "always"]).optional().describe("How far it reaches; absent: once."),
    input: z.record(z.string(), z.unknown()).optional().describe("Another input to run the call with."),
    maxTokens: z.int().positive().optional().describe("For a used-up budget: the new limit."),
    maxCost: z.number().positive().optional().describe("For a used-up budget: the new limit in dollars."),
  }),
  call({ approvalId: id, note: comment, scope, input, maxTokens, maxCost }, ask) {
    const limits = omitUndefined({ maxTokens, maxCost });
    return decide(ask, id, {
      decision: input === undefined ? "approve" : "edit",
      ...omitUndefined({ input, note: comment, scope }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    });
  },
});

const reject = mcpTool({
  name: "reject",
  title: "Reject a call",
  description: "Rejects a call of an agent. The agent reads the reason and continues without it.",
  kind: "decides",
  input: z.strictObject({ approvalId, note }),
  call: ({ approvalId: id, note: comment }, ask) =>
    decide(ask, id, { decision: "reject", ...omitUndefined({ note: comment }) }),
});

const answer = mcpTool({
  name: "answer",
  title: "Answer a question",
  description: "Answers a question that an agent has asked. Ask a person first: it is their answer.",
  kind: "decides",
  input: z.strictObject({
    approvalId,
    answer: z.string().min(1).describe("One of `choices`, if there are any."),
  }),
  call: ({ approvalId: id, answer: text }, ask) => decide(ask, id, { decision: "answer", answer: text }),
});

const cancel = mcpTool({
  name: "cancel",
  title: "Cancel a run",
  description: "Ends a run and everything below it. Nothing new begins in them; ends are final.",
  kind: "decides",
  input: z.strictObject({ runId, reason: z.string().optional() }),
  async call({ runId: id, reason }, ask) {
    const { cancelled } = await ask((client) =>
      client.post("/api/runs/{id}/cancel", { id, body: { reason } }),
    );
    return { result: { cancelled } };
  },
});

const message = mcpTool({
  name: "message",
  title: "Send a message to a run",
  description: "Sends a message to a run that has not ended. The agent reads it at its next turn.",
  kind: "acts",
  input: z.strictObject({ runId, text: z.string().trim().min(1) }),
  async call({ runId: id, text }, ask) {
    const key = randomUUID();
    await ask((client) => client.post("/api/runs/{id}/message", { id, body: { text }, idempotencyKey: key }));
    return { result: { sent: true } };
  },
});

async function decide(ask: WithClient, id: string, decision: DecisionBody): Promise<ToolAnswer> {
  const { alreadyDecided } = await ask((client) =>
    client.post("/api/approvals/{id}", { id, body: decision }),
  );
  return { result: { approvalId: id, decision: decision.decision, alreadyDecided } };
}

export const decisionTools: readonly McpTool[] = [approve, reject, answer, cancel, message];
