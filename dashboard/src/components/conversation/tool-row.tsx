// S4-57: a call in one line with its state and duration. It expands to show input and output.

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
import { useState } from "react";
import type { ConversationCall } from "../../../../src/projections/views/conversation.ts";
import { CALL_OUTCOMES } from "../../../../src/projections/words/tool-outcomes.ts";
import { Elapsed } from "../../display/time/elapsed.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import type { Streaming } from "../../live/tree-journal.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { CallDetail } from "./call-detail.tsx";

export interface ToolRowProps {
  call: ConversationCall;
  /** Output of a call that is still running. */
  streaming: Streaming | undefined;
  /** The call is the selected event. */
  selected: boolean;
}

export function ToolRow({ call, streaming, selected }: ToolRowProps) {
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
        <span className="min-w-0 flex-1 truncate">
          <VisibleText text={words} />
        </span>
        {result?.untrusted !== undefined && <Badge tone="warn">untrusted</Badge>}
        {word && <Badge tone={tone}>{word}</Badge>}
        {startedAt !== undefined && (
          <span className="shrink-0 text-muted text-xs">
            <Elapsed from={startedAt} to={endedAt} />
          </span>
        )}
      </button>
      {open && <CallDetail call={call} streaming={streaming} />}
    </div>
  );
}

/** A call without an outcome yet, or with one. A successful call needs no badge. */
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
  [/^Web|^loki/, Globe],
  [/^Todo/, ListTodo],
  [/^AskUser$/, MessageCircleQuestion],
];
