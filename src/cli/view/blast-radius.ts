// Shows the blast radius of a delegation below the call that needs approval.
// A new capability is marked with a sign, not only with a colour.

import type { BlastRadius } from "../../journal/blast-radius.ts";
import {
  describeBlastRadius,
  describeEdge,
  describeToolReach,
  describeWorstCase,
  newInBlastRadius,
} from "../../projections/words/blast-radius.ts";
import type { Paint } from "./screen.ts";
import { fitLine, type Page } from "./text/fit.ts";
import { plainLine } from "./text/plain.ts";

export function radiusLine(radius: BlastRadius, paint: Paint): string {
  const added = newInBlastRadius(radius).map(plainLine);
  const news = added.length === 0 ? "nothing the tree cannot already do" : `new: ${added.join(", ")}`;
  return `${paint("bold", "Blast radius:")} ${plainLine(describeBlastRadius(radius))}; ${news}`;
}

export function radiusLines(radius: BlastRadius | undefined, page: Page): string[] {
  if (!radius) return [];
  const { paint } = page;
  const { agent, agents, tools, hosts, never, more } = radius;
  const mark = (isNew: boolean | undefined, text: string): string =>
    isNew ? paint("yellow", `+ ${text} (new)`) : `  ${text}`;
  const rows = [
    ...tools.map((tool) => mark(tool.isNew, plainLine(`${tool.name}: ${describeToolReach(tool)}`))),
    ...hosts.map(({ host, isNew }) => mark(isNew, plainLine(`reaches ${host}`))),
    ...agents.slice(1).map((one) => mark(one.isNew, plainLine(describeEdge(one)))),
    ...never.map((rule) => `  never ${plainLine(rule)}`),
    `  ${describeWorstCase(radius)}`,
    ...(more === undefined ? [] : [`  and ${more} more: cadre agents explain ${plainLine(agent)}`]),
  ];
  return [
    "",
    ...fitLine({ head: "", text: radiusLine(radius, paint), next: "  " }, page),
    ...rows.flatMap((row) => fitLine({ head: "  ", text: row, next: "    " }, page)),
  ];
}
