// A turn as one row: the agent's words, its calls as chips, and what the turn took.

import { Ban, Check, CircleDashed, CircleHelp, Hand, LoaderCircle, RotateCcw, X } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import type { Turn, TurnCall, WaitSpan } from "../../../../src/projections/views/turns.ts";
import {
  duration,
  groupDigits,
  money,
  plural,
  shortCount,
} from "../../../../src/projections/words/format.ts";
import { CALL_OUTCOMES } from "../../../../src/projections/words/tool-outcomes.ts";
import { Countdown, Elapsed } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { TEXT_TONES, type Tone } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { handleLinkClick } from "../../ui/link-click.ts";
import { HighlightedText, Time } from "./row-views.tsx";

export interface TurnRowProps {
  runId: string;
  turn: Turn;
  /** The event that is selected, if the turn or one of its calls shows it. */
  selected: number | undefined;
  q: string;
  onSelect(runId: string, seq: number): void;
}

export const TurnRow = memo(function TurnRow(props: TurnRowProps) {
  const { runId, turn, selected, q, onSelect } = props;
  const isSelected = selected === turn.shownSeq;
  const calls = turn.calls.filter(({ isReplaced }) => !isReplaced);
  const says = turn.text === "" ? undefined : turn.text;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a larger click target; keyboard users have the link
    // biome-ignore lint/a11y/noStaticElementInteractions: a larger click target; keyboard users have the link
    <div
      data-event={`${runId}:${turn.shownSeq}`}
      aria-current={isSelected ? "true" : undefined}
      onClick={({ target }) => {
        const isText = getSelection()?.toString() !== "";
        if (!isText && (target as HTMLElement).closest("a, button") === null) onSelect(runId, turn.shownSeq);
      }}
      className={classNames(
        "grid cursor-pointer grid-cols-[1fr_auto] gap-x-3 border-l-2 px-3 py-1.5 @lg:grid-cols-[auto_1fr_auto]",
        isSelected ? "border-accent bg-accent-soft" : "border-transparent hover:bg-raised",
      )}
    >
      <a
        href={`/r/${runId}#${turn.shownSeq}`}
        onClick={(event) => handleLinkClick(event, () => onSelect(runId, turn.shownSeq))}
        className="flex min-h-6 items-center gap-2 self-start rounded-sm"
      >
        <span className="w-5 text-right font-medium text-muted text-xs tabular-nums">
          {turn.number !== undefined && <span className="sr-only">Turn </span>}
          {turn.number}
        </span>
        <Time ts={turn.ts} />
      </a>
      <div className="min-w-0 @max-lg:col-span-2 @max-lg:row-start-2 @lg:pt-0.5">
        {says === undefined ? (
          <Silent turn={turn} hasCalls={calls.length > 0} />
        ) : (
          <p className="line-clamp-6 max-w-4xl whitespace-pre-line text-sm [overflow-wrap:anywhere]">
            <HighlightedText text={says} q={q} />
          </p>
        )}
        {turn.failures.length > 0 && <Failures turn={turn} />}
        {calls.length > 0 && (
          <Chips {...props} calls={calls} className={says === undefined ? "" : "mt-1.5"} />
        )}
      </div>
      <TurnCost turn={turn} />
    </div>
  );
});

/** A turn without words. If chips show its calls, nothing else needs to be said. */
function Silent({ turn, hasCalls }: { turn: Turn; hasCalls: boolean }) {
  if (hasCalls) return null;
  const { state, model, purpose, calls } = turn;
  const words =
    state === "open"
      ? `Waiting for ${model}`
      : purpose !== undefined
        ? `Model call for the ${purpose.replaceAll("_", " ")}`
        : calls.length > 0
          ? calls.map((call) => (call.tool === "final_report" ? "Final report" : call.words)).join(", ")
          : state === "failed"
            ? "No answer"
            : "An empty answer";
  return (
    <p className={classNames("truncate text-sm", state === "failed" ? "text-bad" : "text-muted")}>
      <VisibleText text={words} />
    </p>
  );
}

/** Failed attempts in one line, with the time until the next attempt. */
function Failures({ turn: { failures, retryAt, state } }: { turn: Turn }) {
  const last = failures.at(-1)!;
  return (
    <p
      className={classNames(
        "mt-0.5 flex min-w-0 items-center gap-1.5 text-xs",
        state === "failed" && retryAt === undefined ? "text-bad" : "text-warn",
      )}
    >
      <RotateCcw size={12} aria-hidden className="shrink-0" />
      <span className="min-w-0 truncate" title={last.message}>
        {plural(failures.length, "failed attempt")}: <VisibleText text={last.message} />
      </span>
      {state === "failed" && retryAt !== undefined && <Countdown until={retryAt} />}
    </p>
  );
}

function TurnCost({ turn }: { turn: Turn }) {
  const { ts, answeredAt, input, cached, output, cost, state, model } = turn;
  if (model === undefined) return <span />;
  const about = [
    `Model: ${model}`,
    `${groupDigits(input)} tokens read${cached > 0 ? ` (${groupDigits(cached)} from the cache)` : ""}`,
    `${groupDigits(output)} tokens written`,
  ];
  return (
    <span
      className="flex min-h-6 items-center justify-end gap-2.5 self-start whitespace-nowrap text-2xs text-muted tabular-nums"
      title={about.join("\n")}
    >
      <Elapsed from={ts} to={state === "open" ? undefined : answeredAt} />
      {input + output > 0 && <span className="max-sm:hidden">{shortCount(input + output)} tok</span>}
      {(cost === null || cost > 0) && <span>{money(cost ?? 0, cost === null ? 1 : 0)}</span>}
    </span>
  );
}

/** A turn with many calls shows the first ones until the user asks for the rest. */
const MAX_CHIPS = 12;

function Chips(props: TurnRowProps & { calls: readonly TurnCall[]; className: string }) {
  const { calls, selected, className } = props;
  const [all, setAll] = useState(false);
  const hasHiddenSelection = calls.slice(MAX_CHIPS).some(({ seq }) => seq === selected);
  const shown = all || hasHiddenSelection ? calls : calls.slice(0, MAX_CHIPS);
  return (
    <ul aria-label="Calls" className={classNames("flex flex-wrap gap-1", className)}>
      {shown.map((call) => (
        <li key={call.id} className="min-w-0 max-w-full">
          <Chip {...props} call={call} />
        </li>
      ))}
      {shown.length < calls.length && (
        <li>
          <button
            type="button"
            onClick={() => setAll(true)}
            className="h-10 rounded-md px-2 text-muted text-xs hover:text-ink md:h-6"
          >
            {calls.length - shown.length} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Chip({ runId, selected, q, onSelect, call }: TurnRowProps & { call: TurnCall }) {
  const { seq, words, state, startedAt, endedAt, decision } = call;
  const { icon: Icon, label, tone } = chipLook(state);
  const isSelected = seq === selected;
  return (
    <a
      href={`/r/${runId}#${seq}`}
      data-event={`${runId}:${seq}`}
      aria-current={isSelected ? "true" : undefined}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId, seq))}
      className={classNames(
        "flex h-10 max-w-full items-center gap-1.5 rounded-md border px-2 text-xs md:h-6",
        isSelected ? "border-accent bg-accent-soft" : "border-line bg-surface hover:border-edge",
      )}
    >
      <Icon
        size={12}
        aria-hidden
        className={classNames("shrink-0", CHIP_TONES[tone], state === "runs" && "animate-spin")}
      />
      <span className="min-w-0 truncate">
        <HighlightedText text={words} q={q} />
      </span>
      {state === "ok" ? (
        <span className="sr-only">done</span>
      ) : (
        <span className={classNames("shrink-0", CHIP_TONES[tone])}>{label}</span>
      )}
      {decision && <Decision {...decision} />}
      {startedAt !== undefined && (state === "runs" || endedAt !== undefined) && (
        <span className="shrink-0 text-2xs text-muted">
          <Elapsed from={startedAt} to={endedAt} />
        </span>
      )}
    </a>
  );
}

function Decision({ by, decision, note, answer }: NonNullable<TurnCall["decision"]>): ReactNode {
  const words = { approve: "approved by", edit: "changed by", reject: "by", answer: "", expire: "" }[
    decision
  ];
  if (decision === "expire") return <span className="shrink-0 text-warn">no decision in time</span>;
  const text = decision === "answer" ? `${by}: ${answer ?? ""}` : `${words} ${by}${note ? `: ${note}` : ""}`;
  return (
    <span className="min-w-0 max-w-64 truncate text-muted" title={text}>
      <VisibleText text={text} />
    </span>
  );
}

const CHIP_TONES: Record<Tone, string> = {
  ...TEXT_TONES,
  muted: "text-muted",
  info: "text-info",
  child: "text-child",
  accent: "text-accent",
};

function chipLook(state: TurnCall["state"]): { icon: typeof Check; label: string; tone: Tone } {
  switch (state) {
    case "said":
      return { icon: CircleDashed, label: "not started", tone: "muted" };
    case "asks":
      return { icon: Hand, label: "needs you", tone: "warn" };
    case "runs":
      return { icon: LoaderCircle, label: "running", tone: "info" };
    case "ok":
      return { icon: Check, label: "done", tone: "good" };
    case "denied":
      return { icon: Ban, ...CALL_OUTCOMES.denied };
    case "unknown":
      return { icon: CircleHelp, ...CALL_OUTCOMES.unknown };
    default:
      return { icon: state === "error" ? X : CircleDashed, ...CALL_OUTCOMES[state] };
  }
}

export interface WaitRowProps {
  runId: string;
  wait: WaitSpan;
  selected: boolean;
  onSelect(runId: string, seq: number): void;
}

/** Consecutive waits, in one line. */
export function WaitRow({ runId, wait, selected, onSelect }: WaitRowProps) {
  const { seq, ts, title, subject, until, endedAt, earlierMs, count, note, needsPerson } = wait;
  const isOpen = endedAt === undefined;
  const times = count > 1 ? ` in ${count} waits` : "";
  const words = isOpen
    ? title
    : `Waited ${duration(earlierMs + endedAt - ts)} for ${subject}${times}${note === undefined ? "" : `. ${note}`}`;
  return (
    <a
      href={`/r/${runId}#${seq}`}
      data-event={`${runId}:${seq}`}
      aria-current={selected ? "true" : undefined}
      onClick={(event) => handleLinkClick(event, () => onSelect(runId, seq))}
      className={classNames(
        "flex h-10 items-center gap-2 border-l-2 px-3 text-sm -outline-offset-2 md:h-7 @lg:pl-10",
        selected ? "border-accent bg-accent-soft" : "border-transparent hover:bg-raised",
      )}
    >
      <Time ts={wait.ts} />
      <span
        className={classNames("min-w-0 flex-1 truncate", isOpen && needsPerson ? "text-warn" : "text-muted")}
      >
        <VisibleText text={words} />
      </span>
      {isOpen && until !== undefined && <Countdown until={until} />}
    </a>
  );
}
