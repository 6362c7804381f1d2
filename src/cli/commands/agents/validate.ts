// `cadre agents validate`: checks agent files, for people, editors and CI.
// The exit code distinguishes three cases: all files can be used, some cannot, or no agent was found. `--strict` turns warnings into errors.

import { relative, resolve, sep } from "node:path";
import { strictProblems } from "../../../agents/checks/index.ts";
import type { AgentSet } from "../../../agents/load.ts";
import type { FileReport } from "../../../agents/validate-files.ts";
import { hasErrors, type Problem } from "../../../config/problem.ts";
import { plural } from "../../../projections/words/format.ts";
import { EXIT, type Invocation, report } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { problemLine } from "../../view/agents.ts";
import type { Screen } from "../../view/screen.ts";

export async function validate(
  invocation: Invocation,
  paths: string[],
  { strict = false }: { strict?: boolean },
): Promise<number> {
  const found = paths.length > 0 ? await namedFiles(invocation, paths) : await ownFiles(invocation);
  const files = strict ? found.map(asStrict) : found;
  report(invocation, { files: files.map(fileJson) }, fileLines(files, invocation.screen));
  if (!files.some(isAgentFile)) return EXIT.usage;
  return files.some(({ problems }) => hasErrors(problems)) ? EXIT.failed : EXIT.done;
}

const isAgentFile = ({ problems }: FileReport): boolean => !problems.some(({ code }) => NO_AGENT.has(code));

const NO_AGENT: ReadonlySet<string> = new Set(["NOT_AN_AGENT", "NO_FRONTMATTER", "FILE_UNREADABLE"]);

/** Checks the given files and folders, of any product. A project's file is checked together with the project's other agents. */
async function namedFiles(invocation: Invocation, paths: readonly string[]): Promise<FileReport[]> {
  const { io, folder } = invocation;
  const project = projectOf(invocation);
  const reports = await project.checkFiles(paths.map((path) => resolve(io.cwd, path)));
  const own = new Map(
    reportsOf(await project.agents()).map((report) => [resolve(folder, report.file), report]),
  );
  return reports.map((report) => {
    const file = shownPath(io.cwd, report.file);
    const known = own.get(report.file) ?? report;
    return { ...known, file, problems: known.problems.map((problem) => ({ ...problem, file })) };
  });
}

/** Returns a path relative to the current folder if the file is below that folder. */
function shownPath(cwd: string, file: string): string {
  const below = relative(cwd, file);
  return below.startsWith("..") ? file : below.split(sep).join("/");
}

/** Reports on the agent files, and on what Cadre does not use from other products' files in this folder. */
async function ownFiles(invocation: Invocation): Promise<FileReport[]> {
  const project = projectOf(invocation);
  return [...reportsOf(await project.agents()), ...(await project.checkOtherFiles())];
}

const byPlace = (a: Problem, b: Problem): number => a.line - b.line || a.column - b.column;

/** Treats warnings as errors, except in a file that is not an agent, such as a README. */
const asStrict = (report: FileReport): FileReport =>
  report.problems.some(({ code }) => code === "NOT_AN_AGENT")
    ? report
    : { ...report, problems: strictProblems(report.problems) };

/** Lists the problems in the agent files of the project and the user. Built-in agents are left out: users cannot fix them. */
function reportsOf({ agents, problems }: AgentSet): FileReport[] {
  const reports = new Map<string, FileReport>();
  const add = (report: Omit<FileReport, "status">): void => {
    const before = reports.get(report.file);
    if (before) before.problems.push(...report.problems);
    else reports.set(report.file, { ...report, status: "loaded", problems: [...report.problems] });
  };
  for (const { file, name, dialect, scope, problems: own } of agents.values())
    if (scope !== "builtin") add({ file, name, dialect, problems: own });
  const loaded = new Set(reports.keys());
  const reported = new Set([...agents.values()].flatMap((agent) => agent.problems));
  for (const problem of problems)
    if (!reported.has(problem) && !problem.file.startsWith("builtin:"))
      add({ file: problem.file, dialect: "cadre", problems: [problem] });
  return [...reports.values()]
    .map(
      (report) =>
        ({ ...report, status: loaded.has(report.file) ? statusOf(report.problems) : "skipped" }) as const,
    )
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

function fileLines(files: readonly FileReport[], { paint }: Screen): string[] {
  const problems = files.flatMap((file) => file.problems.toSorted(byPlace));
  const lines = problems.map((problem) => problemLine(problem, paint));
  return [...lines, ...(lines.length > 0 ? [""] : []), summary(files, problems)];
}

function statusOf(problems: readonly Problem[]): FileReport["status"] {
  if (hasErrors(problems)) return "skipped";
  return problems.length > 0 ? "warnings" : "loaded";
}

function fileJson({ file, name, dialect, status, problems }: FileReport) {
  const listed = problems.toSorted(byPlace).map(({ code, severity, line, column, message, suggestion }) => ({
    code,
    severity,
    line,
    column,
    message,
    suggestion,
  }));
  return { file, name, dialect, status, problems: listed };
}

/** Sums up the check, for example `9 files: 7 can be used, 1 cannot, 1 is no agent (1 error, 2 warnings).` */
function summary(files: readonly FileReport[], problems: readonly Problem[]): string {
  if (files.length === 0) return "There are no agent files here: nothing was validated.";
  const broken = files.filter((file) => hasErrors(file.problems)).length;
  const others = files.filter(({ status, problems: own }) => status === "skipped" && !hasErrors(own)).length;
  const good = files.length - broken - others;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const found = [
    ...(errors > 0 ? [plural(errors, "error")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  const words = [
    good === files.length ? "all can be used" : `${good} can be used`,
    ...(broken > 0 ? [`${broken} cannot`] : []),
    ...(others > 0 ? [plural(others, "is not an agent", "are not agents")] : []),
  ];
  const behind = found.length > 0 ? ` (${found.join(", ")})` : "";
  const none = files.some(isAgentFile)
    ? ""
    : " Nothing was validated: give agent files, or a folder of them.";
  return `${plural(files.length, "file")}: ${words.join(", ")}${behind}.${none}`;
}
