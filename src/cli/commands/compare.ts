// `cadre compare A B`: shows two runs side by side, the cost of each, and where they first differ.

import type { Comparison } from "../../api/client/types.ts";
import {
  COMPARISON_COLUMNS,
  differenceCells,
  factCells,
  firstDivergence,
  NO_DIVERGENCE,
  onlySide,
} from "../../projections/words/comparison.ts";
import { plural } from "../../projections/words/format.ts";
import { withClient } from "../connection/connect.ts";
import { type Invocation, report } from "../invocation.ts";
import type { Screen } from "../view/screen.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

type Node = Comparison["nodes"][number];
type Row = Node["rows"][number];

export async function compare(invocation: Invocation, a: string, b: string): Promise<number> {
  const compared = await withClient(invocation, (client) => client.get("/api/compare", { a, b }));
  return report(invocation, compared, comparisonLines(compared, invocation.screen));
}

function comparisonLines(compared: Comparison, screen: Screen): string[] {
  const { a, b, nodes, first } = compared;
  const { paint } = screen;
  return [
    ...table(
      [
        ["", ...COMPARISON_COLUMNS.map((name) => name.toLowerCase())],
        ["A", ...factCells(a), plural(a.runs, "run")],
        ["B", ...factCells(b), plural(b.runs, "run")],
        ["B − A", "", ...differenceCells(a, b), ""],
      ],
      screen.columns,
    ),
    paint("dim", `A is run ${a.runId}, B is run ${b.runId}`),
    ...nodes.flatMap((node, index) => nodeLines(node, first?.node === index ? first.row : undefined, screen)),
    "",
    first ? whereLine(nodes[first.node]!, first.row, paint) : paint("green", NO_DIVERGENCE),
  ];
}

function nodeLines(node: Node, first: number | undefined, screen: Screen): string[] {
  const { agent, depth, a, b, rows } = node;
  const indent = "  ".repeat(depth);
  const sides = a && b ? differenceCells(a, b).slice(0, 2).join(" ") : onlySide(a, b)!;
  const head = `${indent}${screen.paint("bold", plainLine(agent))} ${screen.paint("dim", sides)}`;
  return ["", head, ...rows.flatMap((row, index) => rowLines(row, index === first, indent, screen))];
}

/** Prints a step once if it is equal in A and B. Otherwise prints two lines: first the step of A, then the step of B. */
function rowLines(row: Row, isFirst: boolean, indent: string, { paint }: Screen): string[] {
  const mark = isFirst ? "▶" : " ";
  if (row.same) return [paint("dim", `${indent}${mark}   ${plainLine(row.a!.title)}`)];
  const side = (name: "A" | "B", step: Row["a"]): string[] => {
    if (!step) return [];
    const recorded = step.recorded ? " (as recorded)" : "";
    const detail = step.kind === "call" || step.kind === "child" ? `: ${otherLine(step, row)}` : "";
    const text = plainLine(`${step.title}${detail}`).slice(0, 200);
    return [
      paint(name === "A" ? "red" : "green", `${indent}${mark} ${name} ${text}${recorded} #${step.seq}`),
    ];
  };
  return [...side("A", row.a), ...side("B", row.b)];
}

/** Compares the details of A and B. Returns the first line that differs, or the first line if all lines are equal. */
function otherLine({ detail }: NonNullable<Row["a"]>, { a, b }: Row): string {
  const lines = detail.split("\n");
  if (a?.title !== b?.title) return lines[0]!;
  const [left, right] = [a, b].map((step) => (step?.detail ?? "").split("\n"));
  const at = Math.max(
    0,
    lines.findIndex((_, index) => left![index] !== right![index]),
  );
  return at === 0 ? lines[0]! : `… ${lines[at]}`;
}

function whereLine({ agent, rows }: Node, row: number, paint: Screen["paint"]): string {
  const { a, b } = rows[row]!;
  const at = [a && `A ${a.runId}#${a.seq}`, b && `B ${b.runId}#${b.seq}`].filter(Boolean).join(", ");
  return paint("yellow", `${firstDivergence(plainLine(agent))} (${at})`);
}
