// The text that the parent's model reads when a child ends.
// Each delegation tool uses the result format of the product from which its name comes.
// The child's own text is marked as untrusted.

import type { Payload } from "../../journal/events.ts";
import { markUntrusted } from "../../journal/untrusted.ts";

type Started = Payload<"CHILD_RUN_STARTED">;
type Ended = Payload<"CHILD_RUN_COMPLETED">;

/** The result of the call that awaited the child (D3, S0-43, S1-20). */
export function childResult(tool: string, started: Started, ended: Ended): string {
  return markChildText(started, JSON.stringify(formatResult(tool, ended), null, 1));
}

/** D2: the message about a child that was not awaited. */
export function childMessage(started: Started, ended: Ended): string {
  const how = ended.success ? "is done" : "did not succeed";
  const said = markChildText(started, JSON.stringify(envelope(ended), null, 1));
  return `Run ${started.child_run_id} of ${started.agent_type}, which you started, ${how}:\n${said}`;
}

function formatResult(tool: string, ended: Ended): object {
  const { child_run_id, success, summary, result } = ended;
  if (/^run_.*_agent$/.test(tool))
    return { success, child_run_id, summary: summaryWithCause(result) ?? summary, ...cutOff(result) };
  if (tool === "mcp__agent__spawn")
    return { agentId: child_run_id, status: statusOf(result), result: envelope(ended) };
  return tool === "delegate_to_agent" ? withDetails(envelope(ended)) : envelope(ended);
}

/** S2-55, S2-56: the first paragraph of a longer answer is its summary, with the headings above it. The rest is its details. */
function withDetails(result: Envelope): Envelope {
  const { status, summary, details, ...rest } = result;
  const paragraphs = summary.split(/\n[^\S\n]*\n/);
  const first = paragraphs.findIndex((text) => !/^#.*$/.test(text.trim()));
  if (details !== "" || first === -1) return result;
  const join = (texts: string[]): string => texts.join("\n\n").trim();
  return {
    ...{ status, summary: join(paragraphs.slice(0, first + 1)) },
    ...{ details: join(paragraphs.slice(first + 1)), ...rest },
  };
}

type Envelope = ReturnType<typeof envelope>;

/** D3: the child's result with all of its keys, even if the child did not report a value for them. */
function envelope({ child_run_id, result }: Ended) {
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
