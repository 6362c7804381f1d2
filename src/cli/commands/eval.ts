// `cadre eval FILE`: runs a set of tasks, checks the answers, and compares the pass rates with the baseline. After a crash
// the same command continues.

import { hash } from "node:crypto";
import { relative } from "node:path";
import { loadConfig } from "../../config/config.ts";
import { connect, isConnectionLost } from "../connection/connect.ts";
import { type Eval, readEval } from "../evals/eval-file.ts";
import { type EvalFolder, type EvalResult, openEvalFolder, type Repeat } from "../evals/eval-folder.ts";
import {
  type EvalContext,
  evalFingerprint,
  type PlannedRepeat,
  plannedRepeats,
  runRepeat,
} from "../evals/run-repeat.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { type Shutdown, watchShutdown } from "../terminal/shutdown.ts";
import { askForTrust } from "../terminal/trust-prompt.ts";
import { compareWithBaseline, evalLines, repeatLine } from "../view/eval.ts";
import { fitLines } from "../view/text/fit.ts";
import { jsonLine } from "../view/text/plain.ts";

export async function evaluate(
  invocation: Invocation,
  given: string,
  { baseline = false }: { baseline?: boolean },
): Promise<number> {
  const { folder, io, json, screen } = invocation;
  const file = readEval(io.cwd, given);
  const { dir } = loadConfig({ folder, env: io.env });
  await askForTrust(invocation);
  const kept = openEvalFolder(dir, nameOf(relative(folder, file.path)), file.path);
  const leaving = watchShutdown(io);
  try {
    const result = await playAll(file, kept, invocation, leaving);
    if (!result) return leftBehind(invocation, leaving);
    const before = await kept.baseline();
    await kept.finish(result, baseline);
    const view = compareWithBaseline(result, baseline ? undefined : before);
    if (json) screen.line(jsonLine({ ...result, regressions: view.regressions }));
    else for (const line of fitLines(evalLines(view, screen.paint), screen)) screen.line(line);
    return view.regressions.length > 0 ? EXIT.failed : EXIT.done;
  } finally {
    leaving.dispose();
  }
}

/** Name of the eval's folder, which differs for files of the same name in two folders. */
const nameOf = (path: string): string =>
  `${path.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(-40)}-${hash("sha256", path).slice(0, 8)}`;

/** Reconnects when the owner of the store exits (E1). Returns undefined if a shutdown was requested. */
async function playAll(
  file: Eval,
  folder: EvalFolder,
  invocation: Invocation,
  leaving: Shutdown,
): Promise<EvalResult | undefined> {
  const done = new Map<PlannedRepeat, Repeat>();
  const plays = plannedRepeats(file);
  for (;;) {
    const connection = await connect({ folder: invocation.folder, io: invocation.io, drive: true });
    try {
      const { client } = connection;
      const { id, resumed } = await folder.begin(await evalFingerprint(file, client));
      if (resumed && done.size === 0)
        say(invocation, "Continuing the interrupted eval; finished runs are kept.");
      const stage = { client, eval: file, id, folder, leaving: leaving.signal };
      await playEach(plays, done, stage, invocation);
      return leaving.signal.aborted ? undefined : resultOf(file, id, plays, done);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      if (leaving.signal.aborted) return undefined;
    } finally {
      await connection.close();
    }
  }
}

const AT_ONCE = 8;

async function playEach(
  plays: readonly PlannedRepeat[],
  done: Map<PlannedRepeat, Repeat>,
  stage: EvalContext,
  invocation: Invocation,
): Promise<void> {
  const queue = plays.filter((each) => !done.has(each));
  const next = async (): Promise<void> => {
    for (let each = queue.shift(); each && !stage.leaving.aborted; each = queue.shift()) {
      const repeat = await runRepeat(each, stage);
      if (!repeat) return;
      done.set(each, repeat);
      say(invocation, ...repeatLine(each, repeat, stage.eval.repeats, invocation.screen.paint));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

function say({ json, screen }: Invocation, ...lines: string[]): void {
  if (!json) for (const line of fitLines(lines, screen)) screen.line(line);
}

function resultOf(
  file: Eval,
  id: string,
  plays: readonly PlannedRepeat[],
  done: Map<PlannedRepeat, Repeat>,
): EvalResult {
  const cases = file.cases.map(({ name }, index) => {
    const repeats = plays.filter((each) => each.index === index).map((each) => done.get(each)!);
    return { name, n: repeats.length, passed: repeats.filter(({ passed }) => passed).length, repeats };
  });
  return { id, at: Date.now(), agent: file.agent, cases };
}

function leftBehind(invocation: Invocation, leaving: Shutdown): number {
  say(invocation, "Interrupted: the same command continues, and finished runs are not paid for again.");
  return leaving.exitCode();
}
