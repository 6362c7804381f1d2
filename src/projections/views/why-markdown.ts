// The answer to "why" as Markdown, for an issue or a chat. Text of agents, tools and people cannot become markup (A63).

import { chainTitle, FIRST_CAUSE, NEXT_STEPS } from "../words/explanations.ts";
import type { Why } from "./why.ts";
import type { Reason } from "./why-schema.ts";

/** `link` returns the URL of an event, if the event has one. */
export function whyMarkdown(why: Why, link?: (runId: string, seq: number) => string): string {
  const { agent, task, runId, answer, first, chain, next, seq } = why;
  const title = seq === undefined ? `Why: ${agent}` : `Why: ${agent}, event ${seq}`;
  const place = ({ runId: id, seq: at }: Reason): string => {
    const name = `${id}#${at}`;
    return link ? `[${name}](${link(id, at)})` : `\`${name}\``;
  };
  const line = (reason: Reason): string =>
    `${code(reason.agent)} ${code(reason.what)}${reason.because === undefined ? "" : `, because ${code(reason.because)}`} (${place(reason)})`;
  return [
    `## ${title.replaceAll(/[^\p{L}\p{N} :,./_-]/gu, "")}`,
    "",
    `Task: ${code(task)}`,
    "",
    seq === undefined ? `**${answer}**` : code(answer),
    "",
    ...(first ? [`**${FIRST_CAUSE}**: ${line(first)}`, ""] : []),
    `### ${chainTitle(why)}`,
    ...chain.map((reason, index) => `${index + 1}. ${line(reason)}`),
    "",
    ...(next.length === 0 ? [] : [`### ${NEXT_STEPS}`, ...next.map((one) => `- ${one}`), ""]),
    `Run \`${runId}\``,
    "",
  ].join("\n");
}

/** Formats text as inline code on one line, so that it cannot become a heading or a link. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "nothing";
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}
