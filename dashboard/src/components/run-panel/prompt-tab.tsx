// S4-64: the prompt that the model receives, in parts: instructions, messages, tool calls, and tool results.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TranscriptView } from "../../../../src/api/client/types.ts";
import { shortCount } from "../../../../src/projections/words/format.ts";
import { JsonView } from "../../display/json-view.tsx";
import { Loaded } from "../../display/page-state.tsx";
import { Ansi } from "../../display/terminal/ansi.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { transcriptQuery } from "../../live/queries.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { ToggleGroup } from "../../ui/toggle-group.tsx";
import { EmptyTab } from "./section.tsx";

const SLICES = {
  instructions: "Instructions",
  messages: "Messages",
  tools: "Tools",
  artifacts: "Artifacts",
};
type Slice = keyof typeof SLICES;

const EMPTY = { messages: "messages", tools: "tool calls", artifacts: "artifacts" };

export function PromptTab({ run }: { run: RunJournal }) {
  const [slice, setSlice] = useState<Slice>("instructions");
  const turns =
    run.events.findLast(({ type }) => type === "AGENT_THOUGHT" || type === "TOOL_RESULT")?.seq ?? 0;
  const transcript = useQuery(transcriptQuery(run.row.id, turns));
  return (
    <>
      <ToggleGroup label="Part of the prompt" choices={SLICES} value={slice} onChange={setSlice} />
      <Loaded query={transcript} what="Loading the prompt">
        {(data) => <SliceOf slice={slice} transcript={data} />}
      </Loaded>
    </>
  );
}

function SliceOf({ slice, transcript }: { slice: Slice; transcript: TranscriptView }) {
  if (slice === "instructions") return <Instructions transcript={transcript} />;
  const parts = transcript.messages.flatMap(({ role, content }, at) =>
    (content as Part[]).map((part, index) => ({ id: `${at}.${index}`, role, part })),
  );
  const wanted = parts.filter(({ part }) => isInSlice(part, slice));
  if (wanted.length === 0) return <EmptyTab>The prompt has no {EMPTY[slice]}.</EmptyTab>;
  return (
    <ol className="flex flex-col gap-2">
      {wanted.map(({ id, role, part }) => (
        <li key={id} className="rounded-md border border-line p-2">
          <p className="flex flex-wrap items-center gap-2 pb-1 text-muted text-xs">
            <Badge tone={ROLES[role] ?? "muted"}>{role}</Badge>
            {part.toolName !== undefined && <VisibleText text={part.toolName} />}
            <span>{shortCount(lengthOf(part))} characters</span>
          </p>
          <PartView part={part} />
        </li>
      ))}
    </ol>
  );
}

function Instructions({ transcript: { system, instructionFiles } }: { transcript: TranscriptView }) {
  return (
    <>
      <p className="text-muted text-sm [overflow-wrap:anywhere]">
        {instructionFiles.length === 0 ? (
          "No instruction files were read, such as AGENTS.md."
        ) : (
          <>
            Instruction files that were read: <VisibleText text={instructionFiles.join(", ")} />
          </>
        )}
      </p>
      <Ansi text={system} />
    </>
  );
}

interface Part {
  type: string;
  text?: string;
  toolName?: string;
  input?: unknown;
  output?: { type: string; value: unknown };
}

const ROLES = { user: "accent", assistant: "plain", tool: "info" } as const;

/** Artifacts come from outside the conversation: files, output, reports of children. */
function isInSlice(part: Part, slice: Slice): boolean {
  if (slice === "tools") return part.type === "tool-call";
  if (slice === "artifacts") return part.type === "tool-result";
  return true;
}

const lengthOf = ({ text, input, output }: Part): number =>
  text?.length ?? (JSON.stringify(output?.value ?? input) ?? "").length;

function PartView({ part: { text, input, output } }: { part: Part }) {
  const words = text ?? (typeof output?.value === "string" ? output.value : undefined);
  if (words !== undefined) return <Ansi text={words} />;
  return <JsonView value={output?.value ?? input} />;
}
