// `cadre servers`: lists the MCP servers of this folder and their pinned tools. `approve` shows a person the full descriptions
// of a server's tools, or what has changed in them, and pins them; only at a terminal, after a yes.

import { CadreError } from "../../errors.ts";
import { hidesText, type ListedTool, toolHash } from "../../mcp/listing.ts";
import { type Launch, launchText } from "../../mcp/pins.ts";
import type { McpServers, ServerInspection } from "../../mcp/servers.ts";
import { plural } from "../../projections/words/format.ts";
import { EXIT, type Invocation, isAttended } from "../invocation.ts";
import { projectOf } from "../project.ts";
import { confirm } from "../terminal/confirm.ts";
import { jsonLine, plain, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list(invocation: Invocation): Promise<number> {
  const { json, screen } = invocation;
  const { servers } = projectOf(invocation);
  const rows = servers.names.map((name) => ({ name, ...standingOf(servers, name) }));
  if (json) screen.line(jsonLine(rows));
  else if (rows.length === 0) screen.line("No MCP servers: declare them in cadre.yaml, as `mcpServers`.");
  else {
    const cells = rows.map(({ name, state, tools, how }) => {
      const many = tools ? plural(tools.length, "tool") : "";
      return [name, STATES[state], many, plainLine(how)];
    });
    for (const line of table(cells)) screen.line(line);
  }
  for (const { server, message } of servers.problems.filter(({ suggestion }) => !suggestion))
    if (!json) screen.line(`${plainLine(server)} ${plainLine(message)}`);
  return EXIT.done;
}

const STATES = { new: "not used yet", pinned: "pinned", changed: "CHANGED: not used" } as const;

function standingOf(servers: McpServers, name: string) {
  const { pin, launch, isChanged } = servers.pinnedState(name);
  const state: keyof typeof STATES = pin ? (isChanged ? "changed" : "pinned") : "new";
  return { state, tools: pin?.tools.map((tool) => tool.name), how: launchText(launch) };
}

export async function approve(invocation: Invocation, name: string): Promise<number> {
  const { screen } = invocation;
  const { servers } = projectOf(invocation);
  if (!servers.names.includes(name)) {
    const known = servers.names.join(", ") || "none";
    throw new CadreError(
      "NOT_FOUND",
      `There is no MCP server ${JSON.stringify(name)} here. There are: ${known}.`,
    );
  }
  if (!isAttended(invocation))
    throw new CadreError(
      "USAGE",
      `Nothing was approved: a person must review it. Run this at a terminal: ${invocation.commandLine(`servers approve ${name}`)}`,
    );
  try {
    return (await agreed(servers, name, invocation)) ? EXIT.done : cancelled(screen);
  } finally {
    await servers.close();
  }
}

async function agreed(servers: McpServers, name: string, invocation: Invocation): Promise<boolean> {
  const { screen } = invocation;
  const { pin, launch, isChanged } = servers.pinnedState(name);
  for (const line of launchLines(pin?.launch, launch)) screen.line(line);
  const start = launch.url === undefined ? "Start it and see what it offers?" : "Ask it what it offers?";
  if ((!pin || isChanged) && !(await confirm(invocation, `${start} [y/N] `))) return false;
  const look = await servers.inspect(name);
  for (const line of listingLines(look)) screen.line(line);
  const question = `Use these ${plural(look.listing.tools.length, "tool")} as they are now? [y/N] `;
  if (!(await confirm(invocation, question))) return false;
  servers.approve(name, look);
  screen.line(`${name} is pinned. Calls of its tools still ask, unless a rule allows them.`);
  return true;
}

function cancelled(screen: Invocation["screen"]): number {
  screen.line("Nothing was approved.");
  return EXIT.cancelled;
}

/** How the server is started, with the previous value of everything that has changed. */
function launchLines(was: Launch | undefined, is: Launch): string[] {
  const keys = ["url", "command", "args", "env", "headers", "programs"] as const;
  return keys.flatMap((key) => {
    const [before, now] = [was?.[key], is[key]].map((value) => (value === undefined ? "" : shown(value)));
    if (before === "" && now === "") return [];
    return was && before !== now ? [`- ${key}: ${before}`, `+ ${key}: ${now}`] : [`  ${key}: ${now}`];
  });
}

const shown = (value: unknown): string =>
  plainLine(typeof value === "string" ? value : JSON.stringify(value));

/** New and changed tools with their full descriptions, with hidden characters spelled out. */
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
