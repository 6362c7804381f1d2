// `cadre why RUN[#SEQ]`: explains why a run failed, waits or ended. With `#SEQ` it explains what led to that event.
// Options print the decision log, or the source of each sentence of the run's answer.

import type { WhyView } from "../../api/client/types.ts";
import { CadreError } from "../../errors.ts";
import { type Provenance, provenanceOf, type Source } from "../../projections/views/provenance.ts";
import { whyMarkdown } from "../../projections/views/why-markdown.ts";
import type { Reason } from "../../projections/views/why-schema.ts";
import {
  chainTitle,
  FIRST_CAUSE,
  NEXT_STEPS,
  NO_SOURCE,
  sinceText,
  TAINTED_ACTIONS,
  unreadTexts,
} from "../../projections/words/explanations.ts";
import { clockTime, plural } from "../../projections/words/format.ts";
import { rewriteCommands } from "../command-line.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import { parseRunReference } from "../lookup/runs.ts";
import type { Screen } from "../view/screen.ts";
import { fitLine, fitLines } from "../view/text/fit.ts";
import { plain, plainLine } from "../view/text/plain.ts";

export async function why(
  invocation: Invocation,
  about: string,
  { log, sources, markdown }: { log?: boolean; sources?: boolean; markdown?: boolean },
): Promise<number> {
  const { runId, seq } = parseRunReference(about);
  if (sources) return sourcesOf(invocation, runId);
  const found = await withClient(invocation, (client) =>
    client.get("/api/runs/{id}/why", { id: runId, seq }),
  );
  if (markdown) return report(invocation, found, [plain(whyMarkdown(found))]);
  const { screen } = invocation;
  const lines = log
    ? found.decisions.flatMap((reason) => reasonLines(reason, screen))
    : whyLines(found, invocation);
  return report(invocation, found, lines);
}

/** Prints where each sentence of the run's answer comes from. The sources are computed here, from the events. */
async function sourcesOf(invocation: Invocation, given: string): Promise<number> {
  const { id, events } = await withClient(invocation, async (client) => {
    const run = await client.get("/api/runs/{id}", { id: given });
    return { id: run.id, events: await client.treeEvents(run.id) };
  });
  const found = provenanceOf(
    Map.groupBy(events, (event) => event.runId),
    id,
  );
  if (!found) throw new CadreError("CONFLICT", `Run ${id} has not ended: there is no answer yet.`);
  return report(invocation, found, sourceLines(found, invocation.screen));
}

function sourceLines({ sentences, effects, unread }: Provenance, screen: Screen): string[] {
  const { paint } = screen;
  const part = (head: string, text: string) => fitLine({ head, text }, screen);
  return [
    ...sentences.flatMap(({ text, sources }) => [
      ...part("", paint("bold", plainLine(text))),
      ...(sources.length === 0 ? [paint("dim", `  ${NO_SOURCE}`)] : []),
      ...sources.flatMap((source) => oneSource(source, screen)),
      "",
    ]),
    ...(effects.length === 0 ? [] : [paint("yellow", TAINTED_ACTIONS)]),
    ...effects.flatMap(({ ts, agent, what, runId, seq, untrusted }) =>
      part(
        `  ${paint("dim", clockTime(ts))}  `,
        `${plainLine(`${agent}: ${what}`)} ${paint("dim", `${runId}#${seq}`)} (${plainLine(untrusted.join(", "))})`,
      ),
    ),
    ...unreadTexts(unread).map((line) => paint("dim", line)),
  ];
}

function oneSource({ path, shared, excerpt, untrusted }: Source, screen: Screen): string[] {
  const { paint } = screen;
  const way = path
    .slice(1)
    .map(
      ({ agent, what, runId, seq }) => `${plainLine(`${agent}: ${what}`)} ${paint("dim", `${runId}#${seq}`)}`,
    );
  const mark =
    untrusted.length === 0 ? "" : paint("yellow", `untrusted (${plainLine(untrusted.join(", "))})  `);
  const words = shared.map((one) => `“${plainLine(one)}”`).join(", ");
  return [
    ...fitLine({ head: "  ", text: `based on ${words}`, next: "    " }, screen),
    ...fitLine({ head: "    ", text: `${mark}${way.join(" › ")}`, next: "      " }, screen),
    ...fitLine({ head: "    ", text: paint("dim", plainLine(excerpt)), next: "      " }, screen),
  ];
}

/** Shows the cause first, then the chain of reasons, then what to do. */
function whyLines(why: WhyView, { screen, commandLine }: Invocation): string[] {
  const { paint } = screen;
  const { agent, runId, task, status, seq, answer, first, chain, next, decisions } = why;
  const place = seq === undefined ? runId : `${runId}#${seq}`;
  const tone = status === "failed" ? "red" : status === "suspended" ? "yellow" : "bold";
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", paint("bold", title), ...lines];
  const reasons = (list: readonly Reason[]) => list.flatMap((reason) => reasonLines(reason, screen));
  const steps = next.map((one) => `  ${rewriteCommands(plainLine(one), commandLine)}`);
  return [
    `${paint("bold", plainLine(agent))} ${paint("dim", `· run ${place} · ${sinceText(why, clockTime)}`)}`,
    ...fitLine({ head: "", text: plainLine(task), next: "  " }, screen),
    "",
    ...fitLine({ head: "", text: paint(tone, plainLine(answer)) }, screen),
    ...section(FIRST_CAUSE, first ? reasons([first]) : []),
    ...section(chainTitle(why), reasons(chain)),
    ...section(NEXT_STEPS, fitLines(steps, screen)),
    "",
    paint("dim", `${plural(decisions.length, "decision")} in all: ${commandLine(`why ${runId} --log`)}`),
  ];
}

/** Shows a decision on one line and its reason on the next line. */
function reasonLines({ ts, agent, runId, seq, what, because }: Reason, screen: Screen): string[] {
  const { paint } = screen;
  const head = `  ${paint("dim", clockTime(ts))}  `;
  const place = paint("dim", ` ${runId}#${seq}`);
  const lines = fitLine({ head, text: `${plainLine(agent)}: ${plainLine(what)}${place}` }, screen);
  if (because === undefined) return lines;
  return [...lines, ...fitLine({ head: " ".repeat(12), text: `because ${plainLine(because)}` }, screen)];
}
