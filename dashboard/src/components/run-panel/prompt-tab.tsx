// S4-64: the prompt that the model receives, in parts: instructions, messages, tool calls, and tool results.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TranscriptView } from "../../../../src/api/client/types.ts";
import { shortCount } from "../../../../src/projections/words/format.ts";
import { Loaded } from "../../display/page-state.tsx";
import { Ansi } from "../../display/terminal/ansi.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { turnsOf } from "../../live/folds.ts";
import { transcriptQuery } from "../../live/queries.ts";
import type { RunJournal } from "../../live/tree-journal.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useLocalStorage } from "../../ui/local-storage.ts";
import { ToggleGroup } from "../../ui/toggle-group.tsx";
import { PROMPT_ROLES, type PromptPart, PromptPartView, partLength } from "../event-detail/prompt-part.tsx";
import { OPEN_REQUEST } from "../event-detail/request-section.tsx";
import { EmptyTab, Section } from "./section.tsx";

const SLICES = {
  instructions: "Instructions",
  messages: "Messages",
  tools: "Tools",
  artifacts: "Artifacts",
};
type Slice = keyof typeof SLICES;

const EMPTY = { messages: "messages", tools: "tool calls", artifacts: "artifacts" };

interface PromptTabProps {
  run: RunJournal;
  onSelect(seq: number): void;
}

export function PromptTab({ run, onSelect }: PromptTabProps) {
  const [slice, setSlice] = useState<Slice>("instructions");
  const turns =
    run.events.findLast(({ type }) => type === "AGENT_THOUGHT" || type === "TOOL_RESULT")?.seq ?? 0;
  const transcript = useQuery(transcriptQuery(run.row.id, turns));
  return (
    <>
      <ModelCalls run={run} onSelect={onSelect} />
      <ToggleGroup label="Part of the prompt" choices={SLICES} value={slice} onChange={setSlice} />
      <Loaded query={transcript} what="Loading the prompt">
        {(data) => <SliceOf slice={slice} transcript={data} />}
      </Loaded>
    </>
  );
}

/** At first, only the latest calls are listed. */
const LISTED = 10;

/** The model calls of a run. A click shows the exact request of a call. */
function ModelCalls({ run, onSelect }: PromptTabProps) {
  const [all, setAll] = useState(false);
  const [, openRequest] = useLocalStorage(OPEN_REQUEST);
  const calls = turnsOf(run.events).items.flatMap((item) =>
    item.kind === "turn" && item.model !== undefined ? [item] : [],
  );
  if (calls.length === 0) return null;
  const shown = all ? calls : calls.slice(-LISTED);
  return (
    <Section title="What the model saw">
      <p className="text-muted text-sm">The exact request of each model call, with what it answered.</p>
      <ol aria-label="Model calls" className="flex flex-col text-sm">
        {shown.length < calls.length && (
          <li>
            <Button look="quiet" size="small" className="-ml-2" onClick={() => setAll(true)}>
              Show {calls.length - shown.length} earlier calls
            </Button>
          </li>
        )}
        {shown.map((call) => (
          <li key={call.seq}>
            <button
              type="button"
              className="flex min-h-10 w-full items-center gap-2 rounded px-1 text-left hover:bg-raised md:min-h-6"
              onClick={() => {
                openRequest("open");
                onSelect(call.shownSeq);
              }}
            >
              <span className="w-6 shrink-0 text-right text-muted text-xs tabular-nums">{call.number}</span>
              <span className="min-w-0 flex-1 truncate">
                <VisibleText
                  text={call.text || call.calls.map(({ words }) => words).join(", ") || call.model!}
                />
              </span>
              <span className="shrink-0 text-2xs text-muted tabular-nums">
                {shortCount(call.input)} tokens
                {call.cached > 0 && `, ${Math.round((100 * call.cached) / call.input)} % cached`}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function SliceOf({ slice, transcript }: { slice: Slice; transcript: TranscriptView }) {
  if (slice === "instructions") return <Instructions transcript={transcript} />;
  const parts = transcript.messages.flatMap(({ role, content }, at) =>
    (content as PromptPart[]).map((part, index) => ({ id: `${at}.${index}`, role, part })),
  );
  const wanted = parts.filter(({ part }) => isInSlice(part, slice));
  if (wanted.length === 0) return <EmptyTab>The prompt has no {EMPTY[slice]}.</EmptyTab>;
  return (
    <ol className="flex flex-col gap-2">
      {wanted.map(({ id, role, part }) => (
        <li key={id} className="rounded-md border border-line p-2">
          <p className="flex flex-wrap items-center gap-2 pb-1 text-muted text-xs">
            <Badge tone={PROMPT_ROLES[role] ?? "muted"}>{role}</Badge>
            {part.toolName !== undefined && <VisibleText text={part.toolName} />}
            <span>{shortCount(partLength(part))} characters</span>
          </p>
          <PromptPartView part={part} />
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

/** Artifacts come from outside the conversation: files, output, reports of children. */
function isInSlice(part: PromptPart, slice: Slice): boolean {
  if (slice === "tools") return part.type === "tool-call";
  if (slice === "artifacts") return part.type === "tool-result";
  return true;
}
