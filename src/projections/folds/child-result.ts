// The text that the parent's model reads when a child ends.
// Each delegation tool uses the result format of the product from which its name comes.
// The child's own text is marked as untrusted.

import type { Payload } from "../../journal/events.ts";
import { markUntrusted } from "../../journal/untrusted.ts";

type Started = Payload<"CHILD_RUN_STARTED">;
type Ended = Payload<"CHILD_RUN_COMPLETED">;

/** The result of the call that awaited the child (D3, S0-43, S1-20). */
export function childResult(tool: string, started: Started, ended: Ended): string {
  return markChildText(started, JSON.stringify(resultFor(tool, ended), null, 1));
}

/** D2: the message about a child that was not awaited. */
export function childMessage(started: Started, ended: Ended): string {
  return `${lateResultTitle(started, ended)}:\n${markChildText(started, JSON.stringify(envelope(ended), null, 1))}`;
}

export function lateResultTitle({ child_run_id, agent_type }: Started, { success }: Ended): string {
  const how = success ? "is done" : "did not succeed";
  return `Run ${child_run_id} of ${agent_type}, which you started, ${how}`;
}

/** The child's result in the format of the tool that started it. The view `messages` computes the same (`stores/message-view.ts`). */
export function resultFor(tool: string, ended: Ended): object {
  const { child_run_id, success, summary, result } = ended;
  if (/^run_.*_agent$/.test(tool))
    return { success, child_run_id, summary: summaryWithCause(result) ?? summary, ...cutOff(result) };
  if (tool === "mcp__agent__spawn")
    return { agentId: child_run_id, status: statusOf(result), result: envelope(ended) };
  return tool === "delegate_to_agent" ? roleResult(envelope(ended)) : envelope(ended);
}

/** S2-55 … S2-58: the answer has a summary and details, and created files count as modified, too. */
function roleResult({ status, summary, details, ...rest }: Envelope): Envelope {
  const split = details === "" ? splitAnswer(summary) : { summary, details };
  return { status, ...split, ...rest, files_modified: [...rest.files_created, ...rest.files_modified] };
}

/** The first paragraph of a longer answer is its summary, with a heading above it. The rest is its details. */
function splitAnswer(text: string): { summary: string; details: string } {
  const gap = text.indexOf("\n\n");
  const isHeading = text.startsWith("#") && !text.slice(0, Math.max(0, gap)).includes("\n");
  const end = isHeading && gap !== -1 ? text.indexOf("\n\n", gap + 2) : gap;
  if (end === -1) return { summary: text, details: "" };
  return { summary: text.slice(0, end), details: text.slice(end + 2).replace(/^[ \n]+|[ \n]+$/g, "") };
}

type Envelope = ReturnType<typeof envelope>;

/** D3: the child's result with all of its keys, even if the child did not report a value for them. */
export function envelope({ child_run_id, result }: Ended) {
  const { first_cause: _, failed_stage: __, status: ___, summary, details = "", ...rest } = result;
  const shown = { status: statusOf(result), summary: summaryWithCause(result) ?? summary, details };
  return { ...shown, ...rest, child_run_id };
}

/** S2-26, S2-54: a child that its limit on time cut off has its own status. */
const statusOf = ({ status, stop_reason }: Ended["result"]): string =>
  stop_reason === "max_duration" ? "timeout" : status;

const cutOff = ({ stop_reason, warnings }: Ended["result"]): object =>
  stop_reason === undefined ? {} : { stop_reason, warnings };

/** S1-66: the summary of a failed child with the first cause. Undefined if the failure began in the child itself. */
function summaryWithCause({ summary, first_cause: cause }: Ended["result"]): string | undefined {
  if (!cause || cause.summary === summary) return undefined;
  return `${summary} (first cause: ${cause.agent}, run ${cause.run_id}: ${cause.summary})`;
}

function markChildText({ nonce, agent_type: agent, child_run_id: id }: Started, text: string): string {
  return nonce === undefined ? text : markUntrusted(nonce, `${agent} ${id}`, text);
}
