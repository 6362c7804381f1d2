// Shows why a run failed, waits or ended: first the cause, then the chain of reasons, then what to do.

import type { WhyView } from "../../api/client/types.ts";
import type { Reason } from "../../projections/views/why-schema.ts";
import { chainTitle, FIRST_CAUSE, NEXT_STEPS, sinceText } from "../../projections/words/explanations.ts";
import { clockTime, plural } from "../../projections/words/format.ts";
import { type CommandLine, rewriteCommands } from "../command-line.ts";
import type { Screen } from "./screen.ts";
import { fitLine, fitLines } from "./text/fit.ts";
import { plainLine } from "./text/plain.ts";

export function whyLines(
  why: WhyView,
  { screen, commandLine }: { screen: Screen; commandLine: CommandLine },
): string[] {
  const { paint } = screen;
  const { agent, runId, task, status, seq, answer, first, chain, next, decisions } = why;
  const place = seq === undefined ? runId : `${runId}#${seq}`;
  const tone = status === "failed" ? "red" : status === "suspended" ? "yellow" : "bold";
  return [
    `${paint("bold", plainLine(agent))} ${paint("dim", `· run ${place} · ${sinceText(why, clockTime)}`)}`,
    ...fitLine({ head: "", text: plainLine(task), next: "  " }, screen),
    "",
    ...fitLine({ head: "", text: paint(tone, plainLine(answer)) }, screen),
    ...(first ? ["", paint("bold", FIRST_CAUSE), ...reasonLines(first, screen)] : []),
    ...(chain.length === 0 ? [] : ["", paint("bold", chainTitle(why))]),
    ...chain.flatMap((reason) => reasonLines(reason, screen)),
    ...(next.length === 0 ? [] : ["", paint("bold", NEXT_STEPS)]),
    ...fitLines(
      next.map((one) => `  ${rewriteCommands(plainLine(one), commandLine)}`),
      screen,
    ),
    "",
    paint("dim", `${plural(decisions.length, "decision")} in all: ${commandLine(`why ${runId} --log`)}`),
  ];
}

export function logLines({ decisions }: WhyView, screen: Screen): string[] {
  return decisions.flatMap((reason) => reasonLines(reason, screen));
}

/** The decision on one line, its reason below it. */
function reasonLines({ ts, agent, runId, seq, what, because }: Reason, screen: Screen): string[] {
  const { paint } = screen;
  const head = `  ${paint("dim", clockTime(ts))}  `;
  const place = paint("dim", ` ${runId}#${seq}`);
  const lines = fitLine({ head, text: `${plainLine(agent)}: ${plainLine(what)}${place}` }, screen);
  if (because === undefined) return lines;
  return [...lines, ...fitLine({ head: " ".repeat(12), text: `because ${plainLine(because)}` }, screen)];
}
