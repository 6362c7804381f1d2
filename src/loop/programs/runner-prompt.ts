// The text of a prompt to a program. A new session receives the whole task.
// A resumed session receives only new messages. After an interruption it also receives the state of its calls.

import { type Attachment, describeFile } from "../../journal/attachment.ts";
import type { PromptMessage } from "../../journal/message.ts";
import type { Action } from "../../patterns/action.ts";
import type { RunState, ToolCall } from "../../projections/folds/run-state.ts";
import { promptMessages, taskText } from "../../projections/folds/transcript.ts";
import { describeCall } from "../../projections/views/timeline.ts";
import type { RunJournal } from "../drive/run-journal.ts";
import type { LoopParts } from "../parts.ts";

/** Whether the program knows the task: either it is running in this process, or it can resume its session. */
export const knowsTask = (run: RunJournal, { runners }: Pick<LoopParts, "runners">): boolean =>
  runners.find(run.runId) !== undefined || resumableSession(run) !== undefined;

export function resumableSession({ state }: RunJournal): string | undefined {
  const { started, isLost } = state.runner;
  return started?.loads && !isLost ? started.session : undefined;
}

export function runnerPrompt(
  { attempt }: Extract<Action, { type: "call-model" }>,
  run: RunJournal,
  parts: Pick<LoopParts, "runners" | "systemPrompt">,
): string {
  const { state, transcript, definition } = run;
  const unread = transcript.unseen.map(({ text, attachments = [] }) =>
    [text, ...attachments.map(unseenFile)].join("\n"),
  );
  if (knowsTask(run, parts))
    return [...(attempt > 1 ? [interruption(state)] : []), ...unread].join("\n\n") || "Go on.";
  const system = parts.systemPrompt(definition, state.start!, state.createdAt);
  return [system, ...earlierMessages(promptMessages(transcript)), ...unread].join("\n\n");
}

function interruption(state: RunState): string {
  const calls = [...state.calls.values()];
  const unknown = calls.filter(({ result }) => result?.outcome === "unknown").map(callLine);
  const allowed = calls.filter(isApprovedButUndelivered).map(callLine);
  return [
    "Your process was ended in the middle of your work and started again; this is the same session. Go on where you were.",
    ...(unknown.length > 0
      ? [`It is not known whether this was done; look before you do it again:`, ...unknown]
      : []),
    ...(allowed.length > 0
      ? ["A person has allowed this meanwhile; ask again if you still need it:", ...allowed]
      : []),
    `The task was: ${state.opening ?? taskText(state.start!)}`,
  ].join("\n");
}

const callLine = ({ name, input }: ToolCall): string => `- ${describeCall(name, input)}`;

/** Whether a call was approved after the program had ended, so that the program never received the approval. */
export const isApprovedButUndelivered = ({ decision, result }: ToolCall): boolean =>
  decision?.decision === "approve" && result?.outcome === "not_started";

const textIn = (part: PromptMessage["content"][number]): string[] => {
  if (part.type === "file") return [unseenFile(part)];
  return part.type === "text" ? [part.text] : [];
};

/** A program sees only the name of an attached file, not its content. */
const unseenFile = (file: Attachment): string => `[${describeFile(file)}: you cannot see it]`;

/** The earlier messages. A single task is repeated unchanged. In a conversation, each message also names its author. */
function earlierMessages(messages: readonly PromptMessage[]): string[] {
  const texts = messages.flatMap(({ role, content }) => {
    if (role !== "user" && role !== "assistant") return [];
    const text = content.flatMap(textIn).join("\n");
    return text === "" ? [] : [{ role, text }];
  });
  if (texts.length <= 1) return texts.map(({ text }) => text);
  return texts.map(({ role, text }) => `${role === "user" ? "You were asked" : "You answered"}:\n${text}`);
}
