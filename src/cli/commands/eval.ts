// `cadre eval FILE`: runs a set of tasks, checks the answers, and compares the pass rates with the baseline.
// After a crash the same command continues the eval.

import { hash } from "node:crypto";
import { relative } from "node:path";
import { loadConfig } from "../../config/config.ts";
import { fullTime, plural, shortCost } from "../../projections/words/format.ts";
import { connect, isConnectionLost } from "../connection/connect.ts";
import { type Eval, readEval } from "../evals/eval-file.ts";
import {
  type CaseResult,
  type EvalFolder,
  type EvalResult,
  openEvalFolder,
  type Repeat,
  type Spent,
} from "../evals/eval-folder.ts";
import { type Rate, regressionReason, wilsonInterval } from "../evals/rates.ts";
import {
  type EvalContext,
  evalFingerprint,
  type PlannedRepeat,
  plannedRepeats,
  runRepeat,
} from "../evals/run-repeat.ts";
import { EXIT, type Invocation, report } from "../invocation.ts";
import { type Shutdown, watchShutdown } from "../terminal/shutdown.ts";
import { askForTrust } from "../terminal/trust-prompt.ts";
import type { Paint } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function evaluate(
  invocation: Invocation,
  given: string,
  { baseline = false }: { baseline?: boolean },
): Promise<number> {
  const { folder, io, screen } = invocation;
  const file = readEval(io.cwd, given);
  const { dir } = loadConfig({ folder, env: io.env });
  await askForTrust(invocation);
  const kept = openEvalFolder(dir, nameOf(relative(folder, file.path)), file.path);
  const leaving = watchShutdown(io);
  try {
    const result = await runAll(file, kept, invocation, leaving);
    if (!result) {
      say(invocation, "Interrupted: the same command continues, and finished runs are not paid for again.");
      return leaving.exitCode();
    }
    const before = await kept.baseline();
    await kept.finish(result, baseline);
    const view = compareWithBaseline(result, baseline ? undefined : before);
    const { regressions } = view;
    report(invocation, { ...result, regressions }, fitLines(evalLines(view, screen.paint), screen));
    return regressions.length > 0 ? EXIT.failed : EXIT.done;
  } finally {
    leaving.dispose();
  }
}

/** Reconnects when the owner of the store exits (E1). Returns undefined if a shutdown was requested. */
async function runAll(
  file: Eval,
  folder: EvalFolder,
  invocation: Invocation,
  leaving: Shutdown,
): Promise<EvalResult | undefined> {
  const done = new Map<PlannedRepeat, Repeat>();
  const planned = plannedRepeats(file);
  for (;;) {
    const connection = await connect({ folder: invocation.folder, io: invocation.io, drive: true });
    try {
      const { client } = connection;
      const { id, resumed } = await folder.begin(await evalFingerprint(file, client));
      if (resumed && done.size === 0)
        say(invocation, "Continuing the interrupted eval; finished runs are kept.");
      const context = { client, eval: file, id, folder, leaving: leaving.signal };
      await runEach(planned, done, context, invocation);
      return leaving.signal.aborted ? undefined : resultOf(file, id, planned, done);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      if (leaving.signal.aborted) return undefined;
    } finally {
      await connection.close();
    }
  }
}

async function runEach(
  planned: readonly PlannedRepeat[],
  done: Map<PlannedRepeat, Repeat>,
  context: EvalContext,
  invocation: Invocation,
): Promise<void> {
  const queue = planned.filter((each) => !done.has(each));
  const next = async (): Promise<void> => {
    for (let each = queue.shift(); each && !context.leaving.aborted; each = queue.shift()) {
      const repeat = await runRepeat(each, context);
      if (!repeat) return;
      done.set(each, repeat);
      say(invocation, ...repeatLine(each, repeat, context.eval.repeats, invocation.screen.paint));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** Returns a name for the eval's folder. Two eval files with the same file name in different folders get different names. */
const nameOf = (path: string): string =>
  `${path.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(-40)}-${hash("sha256", path).slice(0, 8)}`;

const AT_ONCE = 8;

function say({ json, screen }: Invocation, ...lines: string[]): void {
  if (!json) for (const line of fitLines(lines, screen)) screen.line(line);
}

function resultOf(
  file: Eval,
  id: string,
  planned: readonly PlannedRepeat[],
  done: Map<PlannedRepeat, Repeat>,
): EvalResult {
  const cases = file.cases.map(({ name }, index) => {
    const repeats = planned.filter((each) => each.index === index).map((each) => done.get(each)!);
    return { name, n: repeats.length, passed: repeats.filter(({ passed }) => passed).length, repeats };
  });
  return { id, at: Date.now(), agent: file.agent, cases };
}

const total = <T>(items: readonly T[], amount: (item: T) => number): number =>
  items.reduce((sum, item) => sum + amount(item), 0);

interface ComparedEval {
  result: EvalResult;
  baseline: EvalResult | undefined;
  /** The cases that got worse. For each case, `rule` says why it is a regression. */
  regressions: { case: string; rule: string }[];
}

/** Compares each case with the baseline's case of the same name, and finds the cases that got worse. */
function compareWithBaseline(result: EvalResult, baseline: EvalResult | undefined): ComparedEval {
  const regressions = result.cases.flatMap((each) => {
    const before = caseIn(baseline, each.name);
    const rule = before && regressionReason(before, each);
    return rule === undefined ? [] : [{ case: each.name, rule }];
  });
  return { result, baseline, regressions };
}

const caseIn = (result: EvalResult | undefined, name: string): CaseResult | undefined =>
  result?.cases.find((each) => each.name === name);

function repeatLine(each: PlannedRepeat, repeat: Repeat, of: number, paint: Paint): string[] {
  const word = repeat.passed ? paint("green", "pass") : paint("red", "fail");
  const which = of === 1 ? "" : ` (${each.repeat + 1} of ${of})`;
  const head = `${word}  ${plainLine(each.case.name)}${which}  ${paint("dim", repeat.runId)}`;
  return [head, ...repeat.failures.map((failure) => `      ${plainLine(failure)}`)];
}

function evalLines({ result, baseline, regressions }: ComparedEval, paint: Paint): string[] {
  const { cases } = result;
  const rows = cases.map((each) => [
    plainLine(each.name),
    ...rateCells(each),
    baselineCell(caseIn(baseline, each.name)),
    ...spentCells(each.repeats),
  ]);
  const all = { passed: total(cases, ({ passed }) => passed), n: total(cases, ({ n }) => n) };
  const everything = cases.flatMap(({ repeats }) => repeats);
  return [
    "",
    ...table([
      ["case", "passed", "rate", "95 % interval", "baseline", "cost", "judges"],
      ...rows,
      ["all", ...rateCells(all), baseline ? "" : "-", ...spentCells(everything)],
    ]),
    "",
    ...regressions.map(
      ({ case: name, rule }) => `${paint("red", "Regression")}: ${plainLine(name)} ${rule}.`,
    ),
    lastLine({ result, baseline, regressions }, paint),
  ];
}

function rateCells(rate: Rate): string[] {
  const [low, high] = wilsonInterval(rate);
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    `${rate.passed} of ${rate.n}`,
    percent(rate.passed / rate.n),
    `${percent(low)} to ${percent(high)}`,
  ];
}

const baselineCell = (before: CaseResult | undefined): string =>
  before ? `${before.passed} of ${before.n}` : "-";

function spentCells(repeats: readonly Repeat[]): string[] {
  const judges = repeats.flatMap(({ judge }) => judge?.spent ?? []);
  return [costOf(repeats.map(({ spent }) => spent)), judges.length === 0 ? "-" : costOf(judges)];
}

const costOf = (spent: readonly Spent[]): string =>
  shortCost({ cost: total(spent, ({ cost }) => cost), unpriced: total(spent, ({ unpriced }) => unpriced) });

function lastLine({ result, baseline, regressions }: ComparedEval, paint: Paint): string {
  if (!baseline) return "This is the baseline: later results are compared with it.";
  if (regressions.length > 0)
    return `${plural(regressions.length, "case")} worse than the baseline of ${fullTime(baseline.at)}. \`--baseline\` makes this result the baseline.`;
  return `${paint("green", "No regression")} against the baseline of ${fullTime(baseline.at)}${result.cases.some(({ passed, n }) => passed < n) ? "; the current failures also failed then, or may be chance" : ""}.`;
}
