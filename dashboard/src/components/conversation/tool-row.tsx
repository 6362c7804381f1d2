// S4-57: a tool call on one line with its state and duration. The line expands to show the call's input and output.

import {
  ChevronRight,
  FileText,
  FolderSearch,
  Globe,
  ListTodo,
  MessageCircleQuestion,
  PenLine,
  Terminal,
  Wrench,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ConversationCall } from "../../../../src/projections/views/conversation.ts";
import { shortCount } from "../../../../src/projections/words/format.ts";
import { CALL_OUTCOMES } from "../../../../src/projections/words/tool-outcomes.ts";
import { Attachments } from "../../display/attachments.tsx";
import { Diff } from "../../display/diff/diff.tsx";
import { patchOfCall } from "../../display/diff/patch-of-call.ts";
import { JsonView } from "../../display/json-view.tsx";
import { Ansi } from "../../display/terminal/ansi.tsx";
import { Elapsed } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { Streaming } from "../../live/tree-journal.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";

export interface ToolRowProps {
  runId: string;
  call: ConversationCall;
  /** Output of a call that is still running. */
  streaming: Streaming | undefined;
  /** Whether the call is the selected event. */
  selected: boolean;
}

export function ToolRow({ runId, call, streaming, selected }: ToolRowProps) {
  const [open, setOpen] = useState(false);
  const { words, state, startedAt, endedAt, result } = call;
  const Icon = ICONS.find(([names]) => names.test(call.tool))?.[1] ?? Wrench;
  const { label: word, tone } = callState(state);
  return (
    <div className={classNames("rounded-md border border-line", selected && "ring-2 ring-accent")}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-10 w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-raised md:min-h-8"
      >
        <ChevronRight
          size={13}
          aria-hidden
          className={classNames("shrink-0 text-muted", open && "rotate-90")}
        />
        <Icon size={14} aria-hidden className="shrink-0 text-muted" />
        <VisibleText text={words} className="min-w-0 flex-1 truncate" />
        {result?.untrusted !== undefined && <Badge tone="warn">untrusted</Badge>}
        {word && <Badge tone={tone}>{word}</Badge>}
        {startedAt !== undefined && (
          <span className="shrink-0 text-muted text-xs">
            <Elapsed from={startedAt} to={endedAt} />
          </span>
        )}
      </button>
      {result?.attachments && (
        <div className="px-2 pb-2">
          <Attachments runId={runId} files={result.attachments} />
        </div>
      )}
      {open && (
        <div className="border-line border-t p-2">
          <CallDetail call={call} streaming={streaming} />
        </div>
      )}
    </div>
  );
}

/** The badge of a tool call. A successful call has no badge. */
function callState(state: ConversationCall["state"]): { label: string; tone: Tone } {
  if (state === "said") return { label: "not started", tone: "muted" };
  if (state === "asks") return { label: "needs you", tone: "warn" };
  if (state === "runs") return { label: "running", tone: "info" };
  return state === "ok" ? { label: "", tone: "good" } : CALL_OUTCOMES[state];
}

const ICONS: readonly [RegExp, typeof Wrench][] = [
  [/^Bash$|git|restart/i, Terminal],
  [/^(Write|Edit)$/, PenLine],
  [/^Read$/, FileText],
  [/^(Grep|Glob|Ls)$/, FolderSearch],
  [/^Web|^loki|^prometheus/, Globe],
  [/^Todo/, ListTodo],
  [/^AskUser$/, MessageCircleQuestion],
];

/** Shows the recorded input and output of a call. */
export function CallDetail({ call, streaming }: Pick<ToolRowProps, "call" | "streaming">) {
  const { tool, input, preview, decision, result } = call;
  const patch = preview?.includes("\n@@ ") ? preview : patchOfCall(tool, input);
  const command = tool === "Bash" ? commandOf(input) : undefined;
  return (
    <div className="flex flex-col gap-2 text-sm">
      {decision && (
        <p className="text-muted">
          {DECISIONS[decision.decision]} <VisibleText text={decision.by} />
          {decision.note !== undefined && (
            <>
              : <VisibleText text={decision.note} />
            </>
          )}
        </p>
      )}
      {patch === undefined ? (
        <Part name="Input">
          {command === undefined ? <JsonView value={input} /> : <Ansi text={command} />}
        </Part>
      ) : (
        <Part name={preview === patch ? "Change as shown for approval" : "Requested change"}>
          <Diff patch={patch} />
        </Part>
      )}
      <Output result={result} streaming={streaming} />
    </div>
  );
}

function Output({ result, streaming }: Pick<ConversationCall, "result"> & Pick<ToolRowProps, "streaming">) {
  if (!result)
    return streaming ? (
      <Part name="Output so far">
        <Ansi text={streaming.text} />
      </Part>
    ) : null;
  const { output, untrusted, sandbox, ref, size } = result;
  const about = [
    untrusted === undefined ? "" : `untrusted content from ${untrusted}`,
    sandbox === undefined ? "" : sandbox === "none" ? "no sandbox" : `sandbox ${sandbox}`,
    ref === undefined ? "" : `start and end of ${shortCount(size ?? 0)} characters`,
  ].filter(Boolean);
  return (
    <Part name="Output" about={about.join(" · ")}>
      {typeof output === "string" ? <Ansi text={output} /> : <JsonView value={output} />}
    </Part>
  );
}

const Part = ({ name, about, children }: { name: string; about?: string; children: ReactNode }) => (
  <div>
    <p className="pb-1 text-muted text-xs">
      {name}
      {about && (
        <>
          {" "}
          (<VisibleText text={about} />)
        </>
      )}
    </p>
    {children}
  </div>
);

/** The command of a Bash call, if the call's input has no other field. */
function commandOf(input: unknown): string | undefined {
  const { command, ...rest } = (input ?? {}) as Record<string, unknown>;
  return typeof command === "string" && Object.keys(rest).length === 0 ? command : undefined;
}

const DECISIONS = {
  approve: "Approved by",
  edit: "Changed and approved by",
  reject: "Rejected by",
  answer: "Answered by",
  expire: "Expired without a decision:",
};
