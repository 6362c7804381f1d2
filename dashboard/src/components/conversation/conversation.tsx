// U11: the run as a chat. New messages scroll into view only if the user has scrolled to the end.

import { ArrowDown } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Input, Select } from "../../ui/input.tsx";
import type { RunViewProps } from "../run-view.ts";
import { RunMessages } from "./run-messages.tsx";
import { TALK_KINDS, type TalkFilter, type TalkKind } from "./talk-filter.ts";
import { useFollowEnd } from "./use-follow-end.ts";

export interface ConversationProps extends RunViewProps {
  filter: TalkFilter;
  onFilter(filter: TalkFilter): void;
}

export function Conversation({ journal, runId, seq, onSelect, filter, onFilter }: ConversationProps) {
  const isLive = journal.runs.get(runId)?.row.endedAt === undefined;
  const { outer, inner, atEnd, toEnd } = useFollowEnd(isLive && seq === undefined);
  const shown = useRef<number>(undefined);
  useEffect(() => {
    if (seq === undefined || shown.current === seq) return;
    shown.current = seq;
    outer.current?.querySelector(`[data-seq="${seq}"]`)?.scrollIntoView({ block: "center" });
  }, [seq, outer]);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <FilterBar filter={filter} onChange={onFilter} />
      <div ref={outer} className="min-h-0 flex-1 overflow-y-auto">
        <div ref={inner} className="mx-auto max-w-4xl p-3 md:p-4">
          <RunMessages
            key={runId}
            journal={journal}
            runId={runId}
            filter={filter}
            seq={seq}
            onSelect={onSelect}
          />
        </div>
      </div>
      {!atEnd && (
        <Button
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-lg max-md:h-10"
          onClick={toEnd}
        >
          <ArrowDown size={14} aria-hidden /> Jump to latest
        </Button>
      )}
    </div>
  );
}

const LABELS: Record<TalkKind, string> = {
  all: "Everything",
  words: "Text",
  tools: "Tools",
  children: "Children",
  notes: "Notes",
  failures: "Failures",
};

function FilterBar({ filter, onChange }: { filter: TalkFilter; onChange(filter: TalkFilter): void }) {
  // The field shows each keystroke immediately; the URL changes a moment later.
  const [text, setText] = useState(filter.text);
  useEffect(() => setText(filter.text), [filter.text]);
  return (
    <div className="flex items-center gap-2 border-line border-b bg-surface px-3 py-1.5 md:px-4">
      <Input
        type="search"
        aria-label="Filter messages by text"
        placeholder="Filter messages"
        className="min-w-0 flex-1 max-md:h-10 md:max-w-72"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onChange({ ...filter, text: target.value });
        }}
      />
      <Select
        aria-label="Filter messages by kind"
        className="max-md:h-10"
        value={filter.kind}
        onChange={({ target }) => onChange({ ...filter, kind: target.value as TalkKind })}
      >
        {TALK_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {LABELS[kind]}
          </option>
        ))}
      </Select>
    </div>
  );
}
