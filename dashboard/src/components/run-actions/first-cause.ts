// U44: where a failure began, and how it came up from there; also as Markdown, for an issue.

import type { FirstCause, JournalEvent } from "../../../../src/journal/events.ts";
import { stopWords } from "../../../../src/projections/stop-words.ts";
import type { RunJournal } from "../../live/run-journal.ts";

export interface FailureChain {
  cause: FirstCause;
  /** From the run where it began up to the one that is looked at. */
  chain: { runId: string; agent: string; task: string; summary: string }[];
  /** The last event of the run where it began. */
  seq: number | undefined;
}

type Runs = ReadonlyMap<string, RunJournal>;

export function failureOf(runs: Runs, runId: string): FailureChain | undefined {
  const run = runs.get(runId);
  const end = run && endOf(run);
  if (!run || end?.type !== "RUN_FAILED") return undefined;
  const cause = end.payload.result.first_cause ?? {
    run_id: runId,
    agent: run.row.agent,
    stop_reason: end.payload.stopReason,
    summary: end.payload.summary,
  };
  const chain: FailureChain["chain"] = [];
  for (let at = runs.get(cause.run_id); at; at = runs.get(at.row.parentRunId ?? "")) {
    const { id, agent, task, summary = "" } = at.row;
    chain.push({ runId: id, agent, task, summary });
    if (id === runId) break;
  }
  const began = runs.get(cause.run_id);
  return { cause, chain, seq: began && endOf(began)?.seq };
}

function endOf({ events }: RunJournal): JournalEvent | undefined {
  const last = events.at(-1);
  return last?.type === "RUN_FAILED" || last?.type === "RUN_CANCELLED" ? last : undefined;
}

export function failureMarkdown({ cause, chain, seq }: FailureChain, origin: string): string {
  const { why, next } = stopWords(cause.stop_reason);
  const top = chain.at(-1);
  return [
    `## ${top?.agent ?? cause.agent} failed`,
    "",
    `**First cause**: \`${cause.agent}\`: ${quoted(cause.summary)}`,
    "",
    `${why}${next ? ` ${next}` : ""}`,
    "",
    "### How it came up",
    ...chain.map(
      ({ agent, task, summary }, index) =>
        `${index + 1}. \`${agent}\`, asked to: ${quoted(task)}; said: ${quoted(summary)}`,
    ),
    "",
    `Run \`${top?.runId ?? cause.run_id}\`, first cause in \`${cause.run_id}\`${seq === undefined ? "" : ` (event ${seq})`}: ${origin}/r/${cause.run_id}${seq === undefined ? "" : `#${seq}`}`,
    "",
  ].join("\n");
}

/** On one line, and as code: what somebody wrote does not become a heading or a link of an issue. */
function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return line === "" ? "nothing" : `${fence} ${line} ${fence}`;
}
