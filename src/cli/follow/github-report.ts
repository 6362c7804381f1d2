// Reports a result to GitHub Actions: an annotation of the job, a page of its summary, and outputs for later steps.
//  GH1  Text of models never reaches the log as a workflow command: commands are stopped around it, with a word that the text cannot know.
//  GH2  In files, text of models is inside a fence or a delimiter that it cannot close.

import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { CadreError, describeSystemError } from "../../errors.ts";
import type { Io } from "../invocation.ts";
import { EXIT } from "../invocation.ts";

export interface GithubReport {
  runId: string;
  agent: string;
  exitCode: number;
  /** The answer, or what a person must do. */
  text: string;
}

/** Longest text in the summary and in outputs. GitHub allows 1 MB for each. */
const MOST_CHARACTERS = 60_000;

export function reportToGithub(report: GithubReport, { stdout, env }: Pick<Io, "stdout" | "env">): void {
  const { runId, agent, exitCode, text } = report;
  const shown = text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…`;
  const word = randomUUID();
  const { level, title } = ENDS[exitCode] ?? FAILED;
  stdout.write(`::stop-commands::${word}\n${shown}\n::${word}::\n`);
  if (level !== undefined)
    stdout.write(
      `::${level} title=${escapeProperty(`Cadre: ${title}`)}::${escapeData(`Run ${runId} of ${agent}`)}\n`,
    );
  const fence = "`".repeat(longestTicks(shown) + 1);
  append(
    env["GITHUB_STEP_SUMMARY"],
    `### Cadre: ${title}\n\nRun \`${runId}\` of \`${agent}\`\n\n${fence}text\n${shown}\n${fence}\n\n`,
  );
  append(
    env["GITHUB_OUTPUT"],
    `run-id=${runId}\nexit-code=${exitCode}\nneeds-person=${exitCode === EXIT.waiting}\nanswer<<${word}\n${shown}\n${word}\n`,
  );
}

const FAILED = { level: "error", title: "the run failed" } as const;

const ENDS: Readonly<Record<number, { level: "error" | "warning" | undefined; title: string }>> = {
  [EXIT.done]: { level: undefined, title: "the run is done" },
  [EXIT.failed]: FAILED,
  [EXIT.waiting]: { level: "warning", title: "the run waits for a person" },
  [EXIT.cancelled]: { level: "error", title: "the run was cancelled" },
};

function append(file: string | undefined, text: string): void {
  if (!file) return;
  try {
    appendFileSync(file, text);
  } catch (error) {
    throw new CadreError(
      "STORAGE_UNUSABLE",
      `The file ${file} of GitHub Actions cannot be written (${describeSystemError(error)}). The run itself is safe.`,
      undefined,
      error,
    );
  }
}

const longestTicks = (text: string): number =>
  Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));

const escapeData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
