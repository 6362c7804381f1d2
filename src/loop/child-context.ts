// What a child sees of its parent's conversation, as the first words of its journal: what was sent is what was kept.

import type { Ids } from "../ids.ts";
import type { ContextMode } from "../journal/definition.ts";
import type { EventBody } from "../journal/events.ts";
import type { PromptMessage } from "../journal/message.ts";
import { markUntrusted } from "../journal/untrusted.ts";
import { promptMessages } from "../projections/folds/transcript.ts";
import type { DelegationRequest } from "./builtin-tools/declared/delegate.ts";
import type { RunJournal } from "./drive/run-journal.ts";

/** A parent's whole history must not fill its child's context before it begins. */
const LONGEST = 120_000;

export function parentContext(
  mode: ContextMode,
  asked: DelegationRequest,
  run: RunJournal,
  ids: Ids,
): EventBody[] {
  const text = textFor(mode, asked, run);
  if (text === undefined) return [];
  const { name } = run.definition;
  const said = `${INTRODUCTIONS[mode]}\n${markUntrusted(ids.nonce(), name, bounded(text))}`;
  return [{ type: "CONTEXT_ADDED", payload: { id: "parent", source: "parent", from: name, text: said } }];
}

const INTRODUCTIONS: Record<ContextMode, string> = {
  none: "",
  summary: "What your parent has done so far, in short:",
  selective: "What your parent's conversation says about the files that you were given:",
  full: "Your parent's conversation so far:",
};

function textFor(
  mode: ContextMode,
  { contextFiles = [] }: DelegationRequest,
  run: RunJournal,
): string | undefined {
  if (mode === "none") return undefined;
  if (mode === "summary") return run.state.brief?.text;
  const messages = promptMessages(run.transcript).slice(0, -1).flatMap(lines);
  const chosen =
    mode === "full"
      ? messages
      : messages.filter((line) => contextFiles.some((file) => file.trim() !== "" && line.includes(file)));
  return chosen.length === 0 ? undefined : chosen.join("\n\n");
}

/** One text for each thing that was said, called or answered. The open calls themselves stand in the child's task. */
function lines(message: PromptMessage): string[] {
  if (message.role === "tool")
    return message.content.map(({ toolName, output }) => `[result of ${toolName}] ${plain(output.value)}`);
  return (message.content as { type: string; text?: string; toolName?: string; input?: unknown }[]).flatMap(
    (part) => {
      if (part.type === "text" && part.text) return [`[${message.role}] ${part.text}`];
      return part.type === "tool-call" ? [`[call of ${part.toolName}] ${plain(part.input)}`] : [];
    },
  );
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function bounded(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  return `${text.slice(0, half)}\n… (${text.length - LONGEST} characters left out) …\n${text.slice(-half)}`;
}
