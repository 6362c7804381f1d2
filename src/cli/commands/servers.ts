// `cadre servers`: lists the MCP servers of this folder and their pinned tools.
// `approve` shows a person the full descriptions of a server's tools. If the server is already pinned, it shows what has changed.
// `approve` pins the tools only after the person has said yes at a terminal.

import { problemText } from "../../config/problem.ts";
import { CadreError } from "../../errors.ts";
import { hidesText, type ListedTool, toolHash } from "../../mcp/listing.ts";
import { type Launch, launchText } from "../../mcp/pins.ts";
import type { McpServers, ServerInspection } from "../../mcp/servers.ts";
import { plural } from "../../projections/words/format.ts";
import { rewriteCommands } from "../command-line.ts";
import { EXIT, type Invocation, isAttended, report, usageError } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { confirm } from "../terminal/keys.ts";
import { plain, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list(invocation: Invocation): Promise<number> {
  const { servers, config } = projectOf(invocation);
  const rows = servers.names.map((name) => ({ name, ...stateOf(servers, name) }));
  const cells = rows.map(({ name, state, tools, how }) => {
    const many = tools ? plural(tools.length, "tool") : "";
    return [name, STATES[state], many, plainLine(how)];
  });
  const ignored = config.ignoredSettings.find(({ path }) => path === "mcpServers")?.problem;
  const none = ignored
    ? rewriteCommands(plainLine(problemText(ignored)), invocation.commandLine)
    : "No MCP servers: declare them in cadre.yaml, as `mcpServers`.";
  const unfixable = servers.problems.filter(({ suggestion }) => !suggestion);
  return report(invocation, rows, [
    ...(rows.length === 0 ? [none] : table(cells)),
    ...unfixable.map(({ server, message }) => `${plainLine(server)} ${plainLine(message)}`),
  ]);
}

const STATES = { new: "not used yet", pinned: "pinned", changed: "CHANGED: not used" } as const;

function stateOf(servers: McpServers, name: string) {
  const { pin, launch, isChanged } = servers.pinnedState(name);
  const state: keyof typeof STATES = pin ? (isChanged ? "changed" : "pinned") : "new";
  return { state, tools: pin?.tools.map((tool) => tool.name), how: launchText(launch) };
}

export async function approve(invocation: Invocation, name: string): Promise<number> {
  const { servers } = projectOf(invocation);
  if (!servers.names.includes(name)) {
    const known = servers.names.join(", ") || "none";
    throw new CadreError(
      "NOT_FOUND",
      `There is no MCP server ${JSON.stringify(name)} here. There are: ${known}.`,
    );
  }
  if (!isAttended(invocation))
    throw usageError(
      `Nothing was approved: a person must review it. Run this at a terminal: ${invocation.commandLine(`servers approve ${name}`)}`,
    );
  try {
    if (await review(servers, name, invocation)) return EXIT.done;
    invocation.screen.line("Nothing was approved.");
    return EXIT.cancelled;
  } finally {
    await servers.close();
  }
}

/** Asks the person twice: about the server's start command, then about its tools. Pins the server if both answers are yes. */
async function review(servers: McpServers, name: string, invocation: Invocation): Promise<boolean> {
  const { screen } = invocation;
  const { pin, launch, isChanged } = servers.pinnedState(name);
  for (const line of launchLines(pin?.launch, launch)) screen.line(line);
  const start = launch.url === undefined ? "Start it and see what it offers?" : "Ask it what it offers?";
  if ((!pin || isChanged) && !(await confirm(invocation, `${start} [y/N] `))) return false;
  const inspected = await servers.inspect(name);
  for (const line of listingLines(inspected)) screen.line(line);
  const question = `Use these ${plural(inspected.listing.tools.length, "tool")} as they are now? [y/N] `;
  if (!(await confirm(invocation, question))) return false;
  servers.approve(name, inspected);
  screen.line(`${name} is pinned. Calls of its tools still ask, unless a rule allows them.`);
  return true;
}

/** Lists how the server is started. Each changed setting is followed by its previous value. */
function launchLines(was: Launch | undefined, is: Launch): string[] {
  const keys = ["url", "command", "args", "env", "headers", "programs"] as const;
  return keys.flatMap((key) => {
    const [before, now] = [was?.[key], is[key]].map((value) => (value === undefined ? "" : valueText(value)));
    if (before === "" && now === "") return [];
    return was && before !== now ? [`- ${key}: ${before}`, `+ ${key}: ${now}`] : [`  ${key}: ${now}`];
  });
}

const valueText = (value: unknown): string =>
  plainLine(typeof value === "string" ? value : JSON.stringify(value));

/** Lists new and changed tools with their full descriptions, and spells out hidden characters. */
function listingLines({ pin, listing }: ServerInspection): string[] {
  const before = new Map(pin?.tools.map((tool) => [tool.name, tool]));
  const gone = [...before.keys()].filter((name) => !listing.tools.some((tool) => tool.name === name));
  return [
    ...listing.tools.flatMap((tool) => toolLines(before.get(tool.name), tool)),
    ...gone.map((name) => `- ${plainLine(name)}: removed`),
    ...listing.problems.map((problem) => `! skipped: ${plainLine(problem)}`),
  ];
}

function toolLines(was: ListedTool | undefined, is: ListedTool): string[] {
  const warning = hidesText(is) ? ["  ! It contains hidden characters, which are spelled out here."] : [];
  if (was && toolHash(was) === toolHash(is)) return [`  ${is.name}: unchanged`, ...warning];
  const old = was ? wordsOf("- ", was) : [];
  return [
    was ? `~ ${is.name}: changed` : `+ ${is.name}`,
    ...old,
    ...wordsOf(was ? "+ " : "  ", is),
    ...warning,
  ];
}

const wordsOf = (mark: string, { description, inputSchema }: ListedTool): string[] =>
  [...plain(description).split("\n"), plain(JSON.stringify(inputSchema))].map((line) => `    ${mark}${line}`);
