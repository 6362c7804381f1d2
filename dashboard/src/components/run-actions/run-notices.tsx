// The notices at the top of a run's page: the progress of a cancellation, the answer or the cause of a failure, and the tree's open requests.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronUp, Flag, GitBranch, Hand, OctagonX, RotateCcw } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import type { ApprovalView } from "../../../../src/api/client/types.ts";
import type { JournalEvent } from "../../../../src/journal/events.ts";
import { type Why, whyOf } from "../../../../src/projections/views/why.ts";
import { chainTitle, FIRST_CAUSE } from "../../../../src/projections/words/explanations.ts";
import { clockTime, plural } from "../../../../src/projections/words/format.ts";
import { AgentName } from "../../display/agent/agent.tsx";
import { approvalTitle } from "../../display/approval-title.ts";
import { Markdown } from "../../display/markdown/markdown.tsx";
import { Countdown } from "../../display/time/times.tsx";
import { VisibleText } from "../../display/visible-text.tsx";
import { client } from "../../live/client.ts";
import { useRefusal } from "../../live/me.ts";
import { providerWaitsQuery, treeApprovalsQuery } from "../../live/queries.ts";
import type { RunJournal, TreeJournal } from "../../live/tree-journal.ts";
import { useAction } from "../../live/use-action.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useLocalStorage } from "../../ui/local-storage.ts";
import { NoticeBar } from "../../ui/notice-bar.tsx";
import { Problem } from "../../ui/problem.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { useNarrow } from "../../ui/use-media.ts";
import { treeOrder } from "../run-tree/roll-up.ts";
import { journalsOf } from "../why/journals.ts";
import { CopyMarkdown, TextWithCode } from "../why/reasons.tsx";

const OutcomeNotice = lazy(async () => ({ default: (await import("./outcome-notice.tsx")).OutcomeNotice }));

export interface RunNoticesProps {
  journal: TreeJournal;
  rootId: string;
  runId: string;
  /** Whether the current view of the run already explains the failure. */
  isExplained: boolean;
  /** Whether the answer is already visible elsewhere on the page. */
  isAnswered: boolean;
  onSelect(runId: string, seq?: number): void;
}

export function RunNotices(props: RunNoticesProps) {
  const { journal, rootId, runId, isExplained, isAnswered, onSelect } = props;
  const { data = [] } = useQuery(treeApprovalsQuery(rootId));
  const failure = useFailure(journal, runId);
  const [isDeciding, setDeciding] = useState(false);
  const run = journal.runs.get(runId);
  const outcomes = data.filter((item) => item.kind === "outcome" && item.runId === runId);
  const others = data.filter((item) => !outcomes.includes(item));
  return (
    <>
      <StopNotice journal={journal} runId={runId} />
      {run && <ProviderNotice run={run} />}
      {failure && !isExplained && <FailureCard why={failure} onSelect={onSelect} />}
      {run && <UnmergedNotice run={run} />}
      {run && !isAnswered && <AnswerCard run={run} />}
      {outcomes.length > 0 && (
        <Suspense fallback={null}>
          {outcomes.map((item) => (
            <OutcomeNotice key={item.id} item={item} />
          ))}
        </Suspense>
      )}
      {others.length > 0 && (
        <ApprovalsStrip
          items={others}
          runId={runId}
          onSelect={onSelect}
          onDecide={() => setDeciding(!isDeciding)}
        />
      )}
      {others.length > 0 && isDeciding && (
        <Suspense>
          <DecideHere items={ownFirst(others, runId)} onClose={() => setDeciding(false)} />
        </Suspense>
      )}
    </>
  );
}

const DecideHere = lazy(async () => ({ default: (await import("../inbox/decide-here.tsx")).DecideHere }));

/** The requests of the shown run come first. */
const ownFirst = (items: readonly ApprovalView[], runId: string): ApprovalView[] =>
  items.toSorted((a, b) => Number(b.runId === runId) - Number(a.runId === runId));

/** Says why a run failed. The text is computed once, because a failed run no longer changes. */
function useFailure(journal: TreeJournal, runId: string): FailureCardProps["why"] | undefined {
  const failed = journal.runs.get(runId)?.row.status === "failed";
  const why = useMemo(
    () => (failed ? whyOf(journalsOf(journal), runId) : undefined),
    [journal, journal.loaded, runId, failed],
  );
  return why?.first && { ...why, first: why.first };
}

/** U41: shows the progress of a cancellation, and then confirms that nothing is running. */
function StopNotice({ journal, runId }: { journal: TreeJournal; runId: string }) {
  const stopping = cancelProgress(journal.runs, runId);
  if (!stopping) return null;
  return (
    <NoticeBar tone={stopping.phase === "stopping" ? "warn" : "muted"}>
      <span role="status" data-testid="stopping">
        {stopping.phase === "stopping"
          ? `Stopping… ${stopping.done} of ${stopping.of} stopped`
          : `Stopped at ${clockTime(stopping.at)}, nothing is running`}
      </span>
    </NoticeBar>
  );
}

interface ApprovalsStripProps {
  items: readonly ApprovalView[];
  runId: string;
  onSelect(runId: string): void;
  /** Opens the requests here. */
  onDecide(): void;
}

const SHOWN = 3;

const SHOWN_NARROW = 1;

/** The open requests of this tree. People decide here or in the inbox; both show the whole request (A17). */
function ApprovalsStrip({ items, runId, onSelect, onDecide }: ApprovalsStripProps) {
  const shown = useNarrow() ? SHOWN_NARROW : SHOWN;
  const mayDecide = useRefusal("operator") === undefined;
  const more = items.length - shown;
  return (
    <NoticeBar tone="warn">
      <span className="flex items-center gap-1.5 font-medium">
        <Hand size={14} aria-hidden /> {mayDecide ? "Needs you" : "Needs a person"}
        {more > 0 && <span className="font-normal md:hidden">and {more} more</span>}
      </span>
      {mayDecide && (
        <Button size="small" className="max-md:h-10" onClick={onDecide}>
          Decide here
        </Button>
      )}
      <ul className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1 max-sm:basis-full">
        {items.slice(0, shown).map((item) => (
          <li key={item.id} className="flex min-w-0 max-w-full items-center gap-2">
            <span className="min-w-0 truncate text-ink">
              {item.runId === runId ? (
                <AgentName agent={item.agent} />
              ) : (
                <button type="button" className="underline" onClick={() => onSelect(item.runId)}>
                  <AgentName agent={item.agent} />
                </button>
              )}
              : {item.kind === "outcome" && "Did it happen? "}
              <VisibleText text={approvalTitle(item)} />
            </span>
            <Link
              to="/inbox"
              search={{ item: item.id }}
              className="inline-flex min-h-10 items-center whitespace-nowrap font-medium underline md:min-h-6"
            >
              {mayDecide ? "Answer in the inbox" : "See the request"}
            </Link>
          </li>
        ))}
        {more > 0 && <li className="max-md:hidden">and {more} more</li>}
      </ul>
    </NoticeBar>
  );
}

/**
 * U45: shows why a run waits for its model provider, which attempt failed, the time left, and how many other runs wait.
 * The notice has a button that retries immediately.
 */
function ProviderNotice({ run: { row, events } }: { run: RunJournal }) {
  const { waitingOn, id, endedAt, cancelRequested } = row;
  const waits = waitingOn?.kind === "provider" && endedAt === undefined && !cancelRequested;
  const { data } = useQuery({ ...providerWaitsQuery, enabled: waits });
  const { busy, problem, perform } = useAction();
  const mayRetry = useRefusal("operator") === undefined;
  if (!waits) return null;
  const last = events.findLast(({ type }) => type === "MODEL_CALL_STARTED" || type === "MODEL_CALL_FAILED");
  const attempt = last?.type === "MODEL_CALL_FAILED" ? (last.payload.attempt ?? 1) : 0;
  const others = Math.max(0, (data?.total ?? 1) - 1);
  return (
    <NoticeBar tone="warn">
      <span className="min-w-0 break-words">
        {attempt > 0 && `Attempt ${attempt} failed: `}
        <VisibleText text={waitingOn.detail ?? "The provider asked us to wait."} />
      </span>
      {waitingOn.until !== undefined && <Countdown until={waitingOn.until} />}
      {others > 0 && (
        <Link to="/settings" hash="provider" className="underline">
          {plural(others, "other run")} also waiting
        </Link>
      )}
      {mayRetry && (
        <Button
          size="small"
          className="max-md:h-10"
          disabled={busy}
          onClick={() => void perform(() => client.post("/api/runs/{id}/resume", { id }))}
        >
          <RotateCcw size={13} aria-hidden /> Retry now
        </Button>
      )}
      <Problem text={problem} />
    </NoticeBar>
  );
}

type CancelProgress =
  | { phase: "stopping"; done: number; of: number }
  /** The cancelled run and all runs below it have ended. */
  | { phase: "stopped"; at: number; runs: number };

function cancelProgress(runs: ReadonlyMap<string, RunJournal>, runId: string): CancelProgress | undefined {
  const top = runs.get(runId);
  const cancel = top?.row.cancelRequested && top.events.findLast(({ type }) => type === "CANCEL_REQUESTED");
  if (!cancel) return undefined;
  const tree = treeOrder(runs, runId).map((id) => runs.get(id)!);
  const live = tree.filter(({ row }) => row.endedAt === undefined);
  const stopped = tree.filter(
    ({ row, events }) => row.endedAt !== undefined && events.at(-1)!.position > cancel.position,
  );
  if (live.length > 0) return { phase: "stopping", done: stopped.length, of: stopped.length + live.length };
  return { phase: "stopped", at: Math.max(...stopped.map(({ row }) => row.endedAt!)), runs: stopped.length };
}

/** The result of a finished run. The page shows it at the top, because the end of the timeline can be far down. */
/** Work that is on a branch, because its merge failed or was not wanted. A completed run would otherwise look done. */
function UnmergedNotice({ run }: { run: RunJournal }) {
  const last = run.events.at(-1);
  const unmerged = (last && "result" in last.payload && last.payload.result.unmerged) || [];
  return unmerged.map(({ run_id, agent, branch, detail }) => (
    <NoticeBar key={run_id} tone="warn">
      <span className="flex items-center gap-1.5 font-medium">
        <GitBranch size={14} aria-hidden /> Not merged
      </span>
      <span className="min-w-0 flex-1 break-words">
        The work of {agent} is on the branch <VisibleText text={branch} />. <VisibleText text={detail} />
      </span>
    </NoticeBar>
  ));
}

function AnswerCard({ run }: { run: RunJournal }) {
  const [kept, keep] = useLocalStorage("cadre.answer");
  const text = answerOf(run.events.at(-1));
  if (text === undefined) return null;
  const isOpen = kept !== "closed";
  return (
    <section
      aria-label="Answer"
      className="flex max-h-[min(7rem,20vh)] shrink-0 flex-col border-line border-b border-l-4 border-l-good bg-surface py-1 pl-4"
    >
      <div className="flex items-center gap-2 pr-3">
        <h2 className="flex shrink-0 items-center gap-1.5 font-semibold text-good text-sm">
          <Flag size={14} aria-hidden /> Answer
        </h2>
        <p className="min-w-0 flex-1 truncate text-sm">
          {!isOpen && <VisibleText text={text.slice(0, 300)} />}
        </p>
        <CopyButton text={text} label="Copy the answer" className="max-md:h-10 max-md:min-w-10" />
        <IconButton
          icon={isOpen ? ChevronUp : ChevronDown}
          label={isOpen ? "Collapse the answer" : "Expand the answer"}
          aria-expanded={isOpen}
          onClick={() => keep(isOpen ? "closed" : undefined)}
        />
      </div>
      {isOpen && (
        <ScrollBox label="Answer text" className="pr-4 pb-1">
          <div className="max-w-4xl text-sm">
            <Markdown text={text} />
          </div>
        </ScrollBox>
      )}
    </section>
  );
}

function answerOf(last: JournalEvent | undefined): string | undefined {
  if (last?.type !== "RUN_COMPLETED") return undefined;
  const { summary, result } = last.payload;
  const more = result.details === undefined || result.details === summary ? [] : [result.details];
  return [summary, ...more].join("\n\n") || undefined;
}

interface FailureCardProps {
  why: Why & Required<Pick<Why, "first">>;
  onSelect(runId: string, seq?: number): void;
}

/** U44: the first cause of a failure, how to fix it, and how the failure reached this run. */
function FailureCard({ why, onSelect }: FailureCardProps) {
  const { runId, first, answer, next, chain } = why;
  const isBelow = first.runId !== runId;
  const steps = [first, ...chain];
  const runs = steps.filter((step, index) => steps.findIndex((each) => each.runId === step.runId) === index);
  return (
    <section
      aria-label="Why it failed"
      className="max-h-44 shrink-0 overflow-auto md:max-h-60 border-line border-b border-l-4 border-l-bad bg-surface px-4 py-2"
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <h2 className="flex items-center gap-1.5 font-semibold text-bad text-sm">
          <OctagonX size={14} aria-hidden /> {FIRST_CAUSE}: <AgentName agent={first.agent} />
        </h2>
        <span className="ml-auto flex gap-2">
          <Button size="small" className="max-md:h-10" onClick={() => onSelect(first.runId, first.seq)}>
            {isBelow ? `Go to ${first.agent}` : "Go to the event"}
          </Button>
          <CopyMarkdown why={why} />
        </span>
      </div>
      <p className="mt-1 whitespace-pre-wrap text-sm [overflow-wrap:anywhere]" data-testid="first-cause">
        <VisibleText text={first.what} />
      </p>
      <p className="mt-1 text-muted text-sm">
        {answer} {next[0] !== undefined && <TextWithCode text={next[0]} isOurs />}
      </p>
      {isBelow && (
        <ol aria-label={chainTitle(why)} className="mt-1 flex flex-wrap items-center gap-x-1 text-xs">
          {runs.map((step, index) => (
            <li key={step.runId} className="flex items-center gap-1">
              {index > 0 && (
                <span aria-hidden className="text-muted">
                  →
                </span>
              )}
              <button
                type="button"
                title={step.what}
                className="inline-flex min-h-10 items-center underline-offset-2 hover:underline md:min-h-5"
                onClick={() => onSelect(step.runId)}
              >
                <AgentName agent={step.agent} />
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
