// Shows the result of an eval: a row per case with its pass rate and confidence interval, the failures, and the regressions.

import { fullTime, plural, shortCost } from "../../projections/words/format.ts";
import type { CaseResult, EvalResult, Repeat, Spent } from "../evals/eval-folder.ts";
import { type Rate, regressionReason, wilsonInterval } from "../evals/rates.ts";
import type { PlannedRepeat } from "../evals/run-repeat.ts";
import type { Paint } from "./screen.ts";
import { plainLine } from "./text/plain.ts";
import { table } from "./text/table.ts";

export interface ComparedEval {
  result: EvalResult;
  baseline: EvalResult | undefined;
  /** Cases that got worse, and the rule that says so. */
  regressions: { case: string; rule: string }[];
}

/** Matches cases by name. */
export function compareWithBaseline(result: EvalResult, baseline: EvalResult | undefined): ComparedEval {
  const regressions = result.cases.flatMap((each) => {
    const before = caseIn(baseline, each.name);
    const rule = before && regressionReason(before, each);
    return rule === undefined ? [] : [{ case: each.name, rule }];
  });
  return { result, baseline, regressions };
}

const caseIn = (result: EvalResult | undefined, name: string): CaseResult | undefined =>
  result?.cases.find((each) => each.name === name);

export function repeatLine(each: PlannedRepeat, repeat: Repeat, of: number, paint: Paint): string[] {
  const word = repeat.passed ? paint("green", "pass") : paint("red", "fail");
  const which = of === 1 ? "" : ` (${each.repeat + 1} of ${of})`;
  const head = `${word}  ${plainLine(each.case.name)}${which}  ${paint("dim", repeat.runId)}`;
  return [head, ...repeat.failures.map((failure) => `      ${plainLine(failure)}`)];
}

export function evalLines({ result, baseline, regressions }: ComparedEval, paint: Paint): string[] {
  const rows = result.cases.map((each) => [
    plainLine(each.name),
    ...rateCells(each),
    baselineCell(caseIn(baseline, each.name)),
    ...spentCells(each.repeats),
  ]);
  const all = {
    passed: result.cases.reduce((sum, { passed }) => sum + passed, 0),
    n: result.cases.reduce((sum, { n }) => sum + n, 0),
  };
  const everything = result.cases.flatMap(({ repeats }) => repeats);
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

function costOf(spent: readonly Spent[]): string {
  const cost = spent.reduce((sum, each) => sum + each.cost, 0);
  const unpriced = spent.reduce((sum, each) => sum + each.unpriced, 0);
  return shortCost({ cost, unpriced });
}

function lastLine({ result, baseline, regressions }: ComparedEval, paint: Paint): string {
  if (!baseline) return "This is the baseline: later results are compared with it.";
  if (regressions.length > 0)
    return `${plural(regressions.length, "case")} worse than the baseline of ${fullTime(baseline.at)}. \`--baseline\` makes this result the baseline.`;
  return `${paint("green", "No regression")} against the baseline of ${fullTime(baseline.at)}${result.cases.some(({ passed, n }) => passed < n) ? "; the current failures also failed then, or may be chance" : ""}.`;
}
