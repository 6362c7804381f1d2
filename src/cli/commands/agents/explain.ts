// `cadre agents explain`: describes what an agent can reach and is allowed to do, without running the agent.

import type { Explanation, ReachableAgent, ReachPath } from "../../../agents/explain/explanation-schema.ts";
import type { AllowedTool, NodeLimits, ReachStop } from "../../../agents/explain/reach.ts";
import { findAgent } from "../../../agents/load.ts";
import { formatDuration } from "../../../config/duration.ts";
import { problemText } from "../../../config/problem.ts";
import { groupDigits, plural } from "../../../projections/words/format.ts";
import { type Invocation, report, tableWidth } from "../../invocation.ts";
import { projectOf } from "../../project.ts";
import { wayText, withTitle } from "../../view/agents.ts";
import { modelLabel } from "../../view/live/live-view.ts";
import type { Paint } from "../../view/screen.ts";
import { plainLine } from "../../view/text/plain.ts";
import { wrappedRows } from "../../view/text/table.ts";
import { wrapText } from "../../view/text/word-wrap.ts";

export async function explain(invocation: Invocation, name: string): Promise<number> {
  const { paint } = invocation.screen;
  const project = projectOf(invocation);
  const { problems } = findAgent(await project.agents(name), name);
  const explanation = await project.explain(name);
  return report(invocation, explanation, [
    ...explanationLines(explanation, paint, tableWidth(invocation)),
    ...problems.map((problem) => paint("yellow", plainLine(`${problem.severity}: ${problemText(problem)}`))),
  ]);
}

interface Names {
  /** Returns the name to print in a column. An agent in the pack of the explained agent is printed without the pack. */
  full(name: string): string;
  /** Returns the name to print inside a path. The pack is left out, unless two agents have the same short name. */
  short(name: string): string;
}

/** `columns` is the width of the terminal. If it is undefined, lines are not wrapped. */
export function explanationLines(explanation: Explanation, paint: Paint, columns?: number): string[] {
  const { agent, title, kind, file, description, reachable, stops } = explanation;
  const names = namesIn(explanation);
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", paint("bold", title), ...lines];
  const indentRows = (rows: readonly (readonly string[])[]): string[] =>
    wrappedRows(
      rows.map(([first = "", ...rest]) => [`  ${first}`, ...rest]),
      columns,
    );
  return [
    `${paint("bold", withTitle(agent, title))} ${paint("dim", `${kind} · ${plainLine(file)}`)}`,
    ...wrapText(plainLine(description), (columns ?? Number.POSITIVE_INFINITY) - 1).split("\n"),
    "",
    ...wrappedRows(factRows(explanation, names), columns),
    ...section(`Reaches ${plural(reachable.length, "agent")}`, indentRows(reachRows(explanation, names))),
    ...section("Stops at", indentRows(stopRows(stops, names))),
    ...section("Blast radius", [
      ...powerLines(explanation, paint),
      ...indentRows(holderRows(explanation, names)),
    ]),
    ...section("At worst", indentRows([[worstWords(explanation)]])),
  ];
}

function namesIn({ agent, reachable }: Explanation): Names {
  const base = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
  const pack = agent.slice(0, agent.length - base(agent).length);
  const bases = [agent, ...reachable.map((one) => one.agent)].map(base);
  const isAmbiguous = (name: string): boolean => bases.filter((other) => other === base(name)).length > 1;
  return {
    full: (name) => plainLine(pack !== "" && name.startsWith(pack) ? base(name) : name),
    short: (name) => plainLine(isAmbiguous(name) ? name : base(name)),
  };
}

function factRows(
  { agent, terminals, models, runner, tools, instructions, limits }: Explanation,
  names: Names,
): string[][] {
  const answers = terminals.map((terminal) =>
    terminal.agent === agent
      ? "its own"
      : `${names.full(terminal.agent)}'s, ${wayText(terminal.path, names.short)}`,
  );
  return [
    ...answers.map((answer, index) => [index === 0 ? "Answer" : "", index === 0 ? answer : `or ${answer}`]),
    runner === undefined
      ? ["Model", models.map(modelLabel).join(", then ")]
      : [
          "Program",
          `${plainLine(runner)}: its requests are judged by the rules; its sandbox limits everything else`,
        ],
    ["Tools", toolWords(tools, (rules) => rules.map(plainLine).join(", "))],
    ...instructionRows(instructions),
    ["Limits", limitWords(limits)],
  ];
}

function instructionRows({ files, trusted, problems }: Explanation["instructions"]): string[][] {
  const names = files.map(
    ({ file, characters }) => `${plainLine(file)} (${groupDigits(characters)} characters)`,
  );
  const doubt = trusted || files.length === 0 ? "" : ", as untrusted text: `cadre trust` changes that";
  const read = names.length === 0 ? [] : [["Reads", `${names.join(", ")}${doubt}`]];
  return [...read, ...problems.map((problem) => ["", plainLine(problem)])];
}

function limitWords({ maxTurns, maxDuration, maxDepth, maxTokens, maxCost }: NodeLimits): string {
  const words = [plural(maxTurns, "turn"), formatDuration(maxDuration), `delegation ${maxDepth} deep`];
  if (maxTokens !== undefined) words.push(plural(maxTokens, "token"));
  if (maxCost !== undefined) words.push(`$${maxCost}`);
  return words.join(" · ");
}

const SHOWN_WAYS = 4;

function reachRows(explanation: Explanation, names: Names): string[][] {
  return explanation.reachable.flatMap(({ agent, ways }: ReachableAgent) => {
    const shown = ways.slice(0, SHOWN_WAYS);
    const rows = shown.map((way, index) => {
      const words = placeWords(way, explanation);
      const isSame = index > 0 && words === placeWords(shown[index - 1]!, explanation);
      return [
        index === 0 ? names.full(agent) : "",
        wayText(way.path, names.short),
        isSame ? "the same" : words,
      ];
    });
    const more = ways.length - shown.length;
    return more > 0 ? [...rows, ["", `and ${plural(more, "more way")}`, ""]] : rows;
  });
}

function placeWords({ tools, deny, limits, models }: ReachPath, root: Explanation): string {
  const words = [toolWords(tools)];
  if (deny.length > 0) words.push(`never ${deny.map(plainLine).join(", ")}`);
  if (limits.maxTurns !== root.limits.maxTurns) words.push(plural(limits.maxTurns, "turn"));
  if (limits.maxDuration !== root.limits.maxDuration) words.push(formatDuration(limits.maxDuration));
  if (models[0] !== root.models[0]) words.push(modelLabel(models[0]!));
  return words.join(" · ");
}

const toolWords = (tools: readonly AllowedTool[], rules = fewWords): string =>
  tools.map(({ name, only }) => (only ? rules(only) : plainLine(name))).join(", ") || "none";

/** Shortens a list, for example to `Bash(npm test) and 3 more`. */
function fewWords([first = "", ...others]: readonly string[]): string {
  return others.length > 0 ? `${plainLine(first)} and ${others.length} more` : plainLine(first);
}

const REASONS: Readonly<Record<ReachStop["why"], string>> = {
  "max-depth": "delegation may go no deeper",
  "on-the-path": "is already at work above",
  broken: "cannot be used",
  "too-many": "there are too many ways to follow them all",
};

const SHOWN_STOPS = 8;

function stopRows(stops: readonly ReachStop[], names: Names): string[][] {
  const rows = stops
    .slice(0, SHOWN_STOPS)
    .map(({ path, why }) => [names.full(path.at(-1)!.to), wayText(path, names.short), REASONS[why]]);
  const more = stops.length - rows.length;
  return more > 0 ? [...rows, [`and ${more} more`, "", ""]] : rows;
}

function powerLines({ blastRadius }: Explanation, paint: Paint): string[] {
  const powers = [
    ["changes files", blastRadius.changesFiles],
    ["runs commands", blastRadius.runsCommands],
    ["reaches the network", blastRadius.reachesNetwork],
  ] as const;
  return powers.map(
    ([what, may]) => `  ${what.padEnd(21)}${may ? paint("yellow", "yes") : paint("green", "no")}`,
  );
}

function holderRows({ agent, blastRadius }: Explanation, names: Names): string[][] {
  return blastRadius.tools.flatMap(({ name, effect, by }) =>
    by.map((holder, index) => [
      index === 0 ? `${plainLine(name)} (${effect})` : "",
      names.full(holder.agent),
      (holder.agent === agent ? "itself" : wayText(holder.path, names.short)) +
        (holder.only ? ` · only ${fewWords(holder.only)}` : ""),
    ]),
  );
}

function worstWords({ worstCase: { runs, turns, maxCost, unpriced, capped } }: Explanation): string {
  const most = capped ? " (as many as a tree may have)" : "";
  const known = maxCost === undefined ? "" : `, $${maxCost}`;
  const money = unpriced ? `; the cost is unknown, because ${unpriced.join(", ")} has no known price` : known;
  return `${plural(runs, "run")}${most} and ${plural(turns, "turn")} of a model${money}`;
}
