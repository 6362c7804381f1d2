// Shows an approval to the person at the editor as a list of choices.
// The person's choice applies to exactly the call that was shown, and the journal records that the decision came through ACP.
// If another person decides first, the editor's question is withdrawn.

import { resolve } from "node:path";
import {
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallContent,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { CadreError, httpStatus } from "../../errors.ts";
import { ALWAYS_DAYS } from "../../permissions/permission.ts";
import { describeCall } from "../../projections/views/timeline.ts";
import type { CadreClient } from "../client/client.ts";
import type { ApprovalView, DecisionBody, OutcomeBody } from "../client/types.ts";
import type { EditorConnection } from "./editor-connection.ts";
import { cardId, pathIn, textContent, toolKind } from "./updates.ts";

/** True for a question without choices. The person answers it with their next message. */
export const isFreeQuestion = ({ kind, choices }: ApprovalView): boolean =>
  kind === "question" && choices === undefined;

/** Waits until a person decides the item in any client. Returns false if the editor dismissed the question and the item is still open. */
export async function requestPermission(
  item: ApprovalView,
  { ask, editor, sessionId }: EditorConnection,
  withdrawn: AbortSignal,
): Promise<boolean> {
  const choices = choicesFor(item);
  try {
    const request: RequestPermissionRequest = {
      sessionId,
      toolCall: await ask((client) => cardFor(item, client)),
      options: choices.map(({ optionId, name, kind }) => ({ optionId, name, kind })),
    };
    const { outcome } = await editor.request(methods.client.session.requestPermission, request, {
      cancellationSignal: withdrawn,
      stopWaitingOnCancel: true,
    });
    if (outcome.outcome === "cancelled") return withdrawn.aborted;
    const choice = choices.find(({ optionId }) => optionId === outcome.optionId);
    if (!choice)
      throw new CadreError(
        "BAD_REQUEST",
        `The editor chose ${outcome.optionId}, which was not offered. Nothing was decided.`,
      );
    await ask((client) => choice.act(client));
    return true;
  } catch (error) {
    if (withdrawn.aborted || isDecided(error)) return true;
    throw error;
  }
}

/** True if another person has decided the item, or the agent has proposed the call again. The run's next event shows which of the two happened. */
const isDecided = (error: unknown): boolean =>
  error instanceof CadreError && [404, 409].includes(httpStatus(error.code));

const cardFor = async (item: ApprovalView, client: CadreClient): Promise<ToolCallUpdate> => ({
  toolCallId: cardId(item.runId, callOf(item)),
  title: approvalTitle(item),
  kind: toolKind(item.tool ?? ""),
  status: "pending",
  content: await contentOf(item, client),
  rawInput: item.input,
});

/** Id of the call, without the attempt or round number at its end. */
const callOf = ({ callId, itemId }: ApprovalView): string => (callId ?? itemId).replace(/~\d+$/, "");

export function approvalTitle({ path, kind, tool, input, detail }: ApprovalView): string {
  const what = kind === "tool" ? describeCall(tool ?? "", input) : (detail ?? kind);
  return [...path.slice(1), what].join(" › ");
}

/** Shows a file change as a diff, and any other call by its preview. */
async function contentOf(item: ApprovalView, client: CadreClient): Promise<ToolCallContent[]> {
  const { id, runId, kind, target, input, preview, untrusted } = item;
  const warning = untrusted
    ? [textContent(`The run has read untrusted text from ${untrusted.join(", ")}.`)]
    : [];
  const path = target?.use === "changes" ? pathIn(input, target.field) : undefined;
  if (kind === "tool" && path !== undefined) {
    const [{ workspace }, { change }] = await Promise.all([
      client.get("/api/runs/{id}", { id: runId }),
      client.post("/api/approvals/{id}/preview", { id, body: { input } }),
    ]);
    if (change) {
      const { before: oldText, after: newText } = change;
      return [{ type: "diff", path: resolve(workspace, path), oldText, newText }, ...warning];
    }
  }
  return [...(preview === undefined ? [] : [textContent(preview)]), ...warning];
}

interface Choice extends PermissionOption {
  act(client: CadreClient): Promise<unknown>;
}

function choicesFor(item: ApprovalView): Choice[] {
  const option = (
    optionId: string,
    kind: PermissionOption["kind"],
    name: string,
    body: DecisionBody,
  ): Choice => ({
    optionId,
    kind,
    name,
    act: (client) => client.post("/api/approvals/{id}", { id: item.id, body }),
  });
  const reject = (name: string): Choice => option("reject", "reject_once", name, { decision: "reject" });
  switch (item.kind) {
    case "tool":
      return [
        option("once", "allow_once", "Allow once", { decision: "approve" }),
        ...(item.grant === undefined
          ? []
          : [
              option("always", "allow_always", `Allow ${item.grant} for ${ALWAYS_DAYS} days`, {
                decision: "approve",
                scope: "always",
              }),
            ]),
        reject("Reject"),
      ];
    case "question":
      return [
        ...(item.choices ?? []).map((answer, index) =>
          option(`answer-${index}`, "allow_once", answer, { decision: "answer", answer }),
        ),
        reject("Give no answer"),
      ];
    case "budget":
      return [...raiseChoices(item, option), reject("Let it end")];
    case "loop":
      return [option("once", "allow_once", "Let it go on", { decision: "approve" }), reject("Let it end")];
    case "outcome":
      return [
        verdict(item, "happened", "allow_once", "It happened"),
        verdict(item, "run_again", "allow_once", "It did not: run it again"),
        verdict(item, "fail", "reject_once", "Leave it"),
      ];
  }
}

/** Choices in an editor cannot ask for a number, so the only offer is to double the limit. */
function raiseChoices(
  { limit = "", limitValue }: ApprovalView,
  option: (id: string, kind: "allow_once", name: string, body: DecisionBody) => Choice,
): Choice[] {
  if (limitValue === undefined) return [];
  const twice = limitValue * 2;
  const isCost = limit.endsWith("maxCost");
  const limits = isCost ? { maxCost: twice } : { maxTokens: twice };
  const name = `Raise it to ${isCost ? `$${twice}` : `${twice} tokens`}`;
  return [option("raise", "allow_once", name, { decision: "approve", limits })];
}

const verdict = (
  { runId, callId }: ApprovalView,
  verdict: OutcomeBody["verdict"],
  kind: PermissionOption["kind"],
  name: string,
): Choice => ({
  optionId: verdict,
  kind,
  name,
  act: (client) => client.post("/api/runs/{id}/outcome", { id: runId, body: { callId: callId!, verdict } }),
});
