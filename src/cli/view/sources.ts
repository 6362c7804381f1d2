// Shows the source of each sentence of an answer: the shared words, the path to the source, and an excerpt.

import type { Provenance, Source } from "../../projections/views/provenance.ts";
import { NO_SOURCE, TAINTED_ACTIONS, unreadTexts } from "../../projections/words/explanations.ts";
import { clockTime } from "../../projections/words/format.ts";
import type { Screen } from "./screen.ts";
import { fitLine } from "./text/fit.ts";
import { plainLine } from "./text/plain.ts";

export function sourceLines({ sentences, effects, unread }: Provenance, screen: Screen): string[] {
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
