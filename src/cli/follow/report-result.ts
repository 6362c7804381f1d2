// Prints the result of following a run, and determines the exit code.

import type { RunDetail } from "../../api/client/types.ts";
import { CadreError, toCadreError } from "../../errors.ts";
import { waitText } from "../../projections/words/waits.ts";
import type { CommandLine } from "../command-line.ts";
import type { Connection } from "../connection/connect.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { answerCommands } from "../view/approval.ts";
import { createScreen } from "../view/screen.ts";
import { neededLines, retryLines, showAgainLine, summaryLines } from "../view/summary.ts";
import { fitLines } from "../view/text/fit.ts";
import { asSentence, jsonLine, plain, plainLine } from "../view/text/plain.ts";
import type { FollowResult, WatchedRun } from "./follow-run.ts";
import { reportToGithub } from "./github-report.ts";
import type { Blockage } from "./questions.ts";

export async function printFollowResult(
  rest: FollowResult,
  { runId, view }: WatchedRun,
  { client, isOwner }: Connection,
  { screen, json, commandLine }: Invocation,
): Promise<number> {
  const say = (lines: string[], machine: object): void => {
    for (const line of json ? [jsonLine(machine)] : fitLines(lines, screen)) screen.line(line);
  };
  if (rest.type === "left") {
    say(isOwner ? keptLines(runId, commandLine) : leavingLines(runId, commandLine), { type: "left", runId });
    return EXIT.done;
  }
  const drawing = view.drawing(Date.now());
  for (const line of drawing.length > 0 ? ["", ...drawing] : []) screen.line(line);
  const run = await client.get("/api/runs/{id}", { id: runId });
  const again = showAgainLine(runId, commandLine, screen.paint);
  if (rest.type === "needs-person") {
    const { items, pausedRuns } = rest;
    const commands = [
      ...items.flatMap((item) => answerCommands(item, commandLine)),
      ...pausedRuns.flatMap((run) => blockedCommands(run, view, commandLine)),
    ];
    const lines = [
      ...neededLines(items, commandLine, screen),
      ...blockedLines(rest, { runId, view }, commandLine),
      again,
    ];
    say(lines, { type: "needs_person", runId, waitingOn: run.waitingOn, approvals: items, commands });
    return EXIT.waiting;
  }
  const code = exitCodeOf(run);
  const summary = summaryLines(run, screen, { said: view.lastWords() });
  say([...summary, ...retryLines(run, commandLine), again], resultOf(run, code));
  return code;
}

/** `github`: as text, and as GitHub Actions shows and passes on results. */
export type AnswerFormat = "text" | "json" | "github";

/** Prints only the result: the answer as text, or one JSON object. Everything else that a person must know goes to stderr. */
export async function printAnswer(
  rest: FollowResult,
  next: WatchedRun,
  connection: Connection,
  { invocation, format }: { invocation: Invocation; format: AnswerFormat },
): Promise<number> {
  if (format === "json") return printFollowResult(rest, next, connection, { ...invocation, json: true });
  if (format === "github") return reportAnswer(rest, next, connection, invocation);
  const { io, screen } = invocation;
  const run = await connection.client.get("/api/runs/{id}", { id: next.runId });
  if (rest.type !== "ended" || run.status !== "completed")
    return printFollowResult(rest, next, connection, {
      ...invocation,
      screen: createScreen(io.stderr, io.env),
      json: false,
    });
  const { summary = "", output, result } = run;
  const answer = output === undefined ? [summary, result?.details ?? ""] : [JSON.stringify(output, null, 2)];
  screen.line(
    answer
      .map((text) => plain(text).trim())
      .filter(Boolean)
      .join("\n\n"),
  );
  for (const { agent, branch } of result?.unmerged ?? [])
    io.stderr.write(`Not merged: the work of ${plainLine(agent)} is on the branch ${plainLine(branch)}.\n`);
  return exitCodeOf(run);
}

/** Collects what `--output text` prints, and reports it to GitHub Actions. */
async function reportAnswer(
  rest: FollowResult,
  next: WatchedRun,
  connection: Connection,
  invocation: Invocation,
): Promise<number> {
  let text = "";
  const collect = { write: (piece: string) => (text += piece) };
  const exitCode = await printAnswer(rest, next, connection, {
    invocation: {
      ...invocation,
      screen: createScreen(collect, {}, true),
      io: { ...invocation.io, stderr: collect },
    },
    format: "text",
  });
  const { agent } = await connection.client.get("/api/runs/{id}", { id: next.runId });
  reportToGithub({ runId: next.runId, agent, exitCode, text: text.trim() }, invocation.io);
  return exitCode;
}

const keptLines = (runId: string, commandLine: CommandLine): string[] => [
  "",
  "Leaving: nothing is lost. Steps in progress get a few seconds to finish, then they are stopped and recorded as stopped; Ctrl-C again exits at once.",
  keptSentence(runId, commandLine),
];

/** Extends an error's text with two facts: the started run is kept, and this command continues it. */
export function withKeptRun(thrown: unknown, runId: string, { commandLine }: Invocation): CadreError {
  const { code, message, details } = toCadreError(thrown);
  return new CadreError(code, `${asSentence(message)} ${keptSentence(runId, commandLine)}`, details, thrown);
}

/** Says how to continue a run that no process drives. */
const keptSentence = (runId: string, commandLine: CommandLine): string =>
  `Run ${runId} is kept: \`${commandLine("run")}\` continues it, \`${commandLine(`cancel ${runId}`)}\` ends it.`;

/** Says how to follow a run that another process still drives. */
export const leavingLines = (runId: string, commandLine: CommandLine): string[] => [
  "",
  "Leaving: nothing is lost, and another process continues the run.",
  `Follow it again: ${commandLine(`tail ${runId}`)}`,
  `End it: ${commandLine(`cancel ${runId}`)}`,
];

/** A completed run whose work was not all merged waits for a person too. */
export function exitCodeOf({ status, result }: Pick<RunDetail, "status" | "result">): number {
  if (result?.unmerged !== undefined && status === "completed") return EXIT.waiting;
  if (status === "failed" || status === "cancelled") return EXIT[status];
  return status === "suspended" ? EXIT.waiting : EXIT.done;
}

/** Returns the worst exit code of several runs. Failed is worse than waiting, and waiting is worse than cancelled. */
export function worstExitCode(codes: readonly number[]): number {
  return [EXIT.failed, EXIT.waiting, EXIT.cancelled].find((code) => codes.includes(code)) ?? EXIT.done;
}

function resultOf(run: RunDetail, exitCode: number) {
  const { id: runId, status, stopReason, summary, output, result, usage, treeUsage } = run;
  return { type: "result", runId, status, stopReason, summary, output, result, usage, treeUsage, exitCode };
}

type Shown = Pick<WatchedRun, "runId" | "view">;

function blockedCommands(
  run: Blockage["pausedRuns"][number],
  { tree }: Shown["view"],
  commandLine: CommandLine,
): string[] {
  const { id, waitingOn } = run;
  // A run whose journal cannot be read does not react to commands.
  if (isUnreadable(run, tree)) return [commandLine(`verify ${id}`)];
  const [top] = waitingOn?.frozen ?? [];
  return [commandLine(top === undefined ? `resume ${id}` : `thaw ${top}`), commandLine(`cancel ${id}`)];
}

/** True if the run's journal cannot be read. The driver quarantines such a run, but cannot record this in its journal. */
const isUnreadable = (
  { id, waitingOn }: Blockage["pausedRuns"][number],
  { runs }: Shown["view"]["tree"],
): boolean => waitingOn?.kind === "quarantine" && runs.get(id)?.state.waitingOn?.kind !== "quarantine";

export function blockedLines(
  { items, pausedRuns }: Blockage,
  { runId, view }: Shown,
  commandLine: CommandLine,
): string[] {
  const lines = pausedRuns.flatMap((run) => {
    const { id, agent, waitingOn } = run;
    const why = plainLine(waitText(waitingOn) ?? "a person is needed");
    const who = id === runId ? "" : `${plainLine(agent)}, run ${id}: `;
    const commands = blockedCommands(run, view, commandLine).map((command) => `  ${command}`);
    const aside = isUnreadable(run, view.tree) ? [AFTER_RESTORE] : [];
    return ["", `Cannot continue: ${who}${why}`, ...commands, ...aside];
  });
  if (items.length === 0) return lines;
  return [
    ...lines,
    "",
    `The run waits and costs nothing meanwhile. It continues in the background when you have answered; to follow it: ${commandLine("run")}`,
  ];
}

const AFTER_RESTORE = "Nothing else is affected. It continues when the store is restored from a backup.";
