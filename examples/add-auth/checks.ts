// Compares the claims of the runs with the repository, the remote and the journals. Returns one sentence for each problem.

import { spawnSync } from "node:child_process";
import type { RunTree } from "../../src/api/client/types.ts";
import type { EventOf, EventType, JournalEvent } from "../../src/journal/events.ts";
import { readPulls } from "./forge/forge.ts";
import { git, type Stage } from "./stage.ts";
import { nameOf } from "./story.ts";

const SHAPE =
  "supervisor(planner(planner, planner, planner, planner), reviewer(fixer), worker accounts, worker login, worker tokens(researcher))";
const TESTS = ["--test", "--test-isolation=none"];
const COMMITS = 3;
const APPROVALS = 3;

export function problemsOf(stage: Stage, top: RunTree, events: readonly JournalEvent[]): string[] {
  return [
    ...failedRuns(top),
    ...wrongShape(top),
    ...notParallel(events),
    ...repeatedCalls(events),
    ...wrongHistory(stage),
    ...notPushed(stage),
    ...wrongPulls(stage),
  ];
}

function failedRuns(run: RunTree): string[] {
  const { id, status, summary, children } = run;
  const own = status === "completed" ? [] : [`${nameOf(run)} (run ${id}) is ${status}: ${summary}`];
  return [...own, ...children.flatMap(failedRuns)];
}

function wrongShape(top: RunTree): string[] {
  const shape = shapeOf(top);
  return shape === SHAPE ? [] : [`The tree is ${shape}, where ${SHAPE} was to be.`];
}

function shapeOf(run: RunTree): string {
  const below = run.children.map(shapeOf).sort().join(", ");
  return below === "" ? nameOf(run) : `${nameOf(run)}(${below})`;
}

function notParallel(events: readonly JournalEvent[]): string[] {
  const workers = ofType(events, "RUN_STARTED").filter(({ payload }) => payload.agent === "factory/worker");
  const ids = new Set(workers.map(({ runId }) => runId));
  const firstEnd = ofType(events, "RUN_COMPLETED").find(({ runId }) => ids.has(runId))?.position ?? 0;
  const overlap = workers.every(({ position }) => position < firstEnd);
  return overlap ? [] : ["The workers were not at work together: one had ended before another began."];
}

/** P4, P5: a command starts only once, unless a person chose `run again`. Cadre asks a person only once about each call. */
function repeatedCalls(events: readonly JournalEvent[]): string[] {
  const count = (type: "TOOL_STARTED" | "OUTCOME_DECIDED", { runId, payload }: EventOf<"TOOL_PROPOSED">) =>
    ofType(events, type).filter(
      (event) => event.runId === runId && event.payload.toolCallId === payload.toolCallId,
    ).length;
  const commands = ofType(events, "TOOL_PROPOSED").filter(({ payload }) => payload.effect === "unsafe");
  const problems = commands
    .filter((call) => count("TOOL_STARTED", call) > 1 + count("OUTCOME_DECIDED", call))
    .map(
      ({ runId, payload }) => `The command ${payload.toolCallId} of run ${runId} was begun more than once.`,
    );
  const asked = ofType(events, "APPROVAL_DECIDED").length;
  if (asked !== APPROVALS) problems.push(`A person decided ${asked} approvals, and there are ${APPROVALS}.`);
  return problems;
}

function wrongHistory({ folder }: Stage): string[] {
  const problems: string[] = [];
  const subjects = git(folder, "log", "--format=%s", "main..HEAD").split("\n").filter(Boolean);
  if (subjects.length !== COMMITS || new Set(subjects).size !== COMMITS)
    problems.push(
      `${COMMITS} commits were to be made, each once; there are: ${subjects.join("; ") || "none"}.`,
    );
  const left = git(folder, "status", "--porcelain");
  if (left !== "") problems.push(`These changes are in no commit:\n${left}`);
  return problems;
}

function notPushed(stage: Stage): string[] {
  const { folder, remote } = stage;
  const head = (repository: string) =>
    git(repository, "for-each-ref", "--format=%(objectname)", "refs/heads/add-auth");
  if (head(remote) === "") return ["The branch add-auth is not on the remote."];
  const log = git(remote, "reflog", "show", "--format=%h", "refs/heads/add-auth").split("\n");
  return [
    ...(head(remote) === head(folder) ? [] : ["The remote has another add-auth than the repository."]),
    ...(log.length === 1 ? [] : [`add-auth was pushed ${log.length} times, not once.`]),
    ...redTests(stage),
  ];
}

function wrongPulls({ folder, remote }: Stage): string[] {
  const pushed = git(folder, "rev-parse", "add-auth");
  const pulls = readPulls(remote).map(({ base, head, sha }) => `${head} (${sha}) into ${base}`);
  const wanted = `add-auth (${pushed}) into main`;
  if (pulls.length === 1 && pulls[0] === wanted) return [];
  return [`One pull request was to be open, ${wanted}; there are: ${pulls.join("; ") || "none"}.`];
}

/** Runs the tests on a clone of the remote, because the working tree can contain files that were never pushed. */
function redTests({ folder, remote, judged }: Stage): string[] {
  git(folder, "clone", "--quiet", "--branch", "add-auth", remote, judged);
  const { status, stdout } = spawnSync(process.execPath, TESTS, {
    cwd: judged,
    env: {},
    encoding: "utf8",
  });
  return status === 0 ? [] : [`The tests of add-auth, as it is on the remote, are not green:\n${stdout}`];
}

const ofType = <Type extends EventType>(events: readonly JournalEvent[], type: Type) =>
  events.filter((event): event is EventOf<Type> => event.type === type);
