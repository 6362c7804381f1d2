import { VisibleText } from "../../display/visible-text.tsx";
import type { RunJournal, Streaming } from "../../live/tree-journal.ts";

const WORDS: Record<Streaming["kind"], string> = {
  text: "Writing",
  reasoning: "Thinking",
  tool_output: "Output",
};

/** U18: text and output being streamed. The recorded event replaces this row. */
export function LiveRow({ run }: { run: RunJournal }) {
  return (
    <div className="border-info border-l-2 bg-info-soft px-3 py-1.5" data-testid="live">
      {[...run.streaming].map(([key, { kind, text }]) => (
        <div key={key} className="min-w-0">
          <span className="font-medium text-2xs text-info">{WORDS[kind]}…</span>
          <p
            className={
              kind === "tool_output"
                ? "line-clamp-6 whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]"
                : "whitespace-pre-wrap text-sm [overflow-wrap:anywhere]"
            }
          >
            <VisibleText text={kind === "text" ? text.slice(-SHOWN) : lastLines(text)} />
          </p>
        </div>
      ))}
    </div>
  );
}

const SHOWN = 2_000;
const LINES = 6;

const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-LINES).join("\n").slice(-SHOWN);

export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.slice(-200) ?? "";
}

/** U18: the latest line of a collapsed child. */
export function LatestLine({ child }: { child: RunJournal }) {
  const streaming = [...child.streaming.values()].at(-1);
  const text = streaming ? lastLine(streaming.text) : child.timeline.entries.at(-1)?.title;
  if (!text) return null;
  return (
    <p className="mt-0.5 truncate text-muted text-xs" data-testid="latest">
      <VisibleText text={text} />
    </p>
  );
}
