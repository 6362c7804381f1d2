// The commands of a conversation, such as `/runs`. Commands and skills of the project are messages, so they are not listed here.

import { expandSlashCommand, readSlashCommand } from "../../agents/skills/expand-slash-command.ts";
import type { RunSummary } from "../../api/client/types.ts";
import { ago, describeCost, describeTokens, plural } from "../../projections/words/format.ts";
import type { ReconnectingClient } from "../connection/reconnecting-client.ts";
import { type Invocation, usageError } from "../invocation.ts";
import { parseRunReference } from "../lookup/runs.ts";
import { projectOf } from "../project.ts";
import { modelLabel } from "../view/live/live-view.ts";
import { truncate } from "../view/screen.ts";
import { fitLines } from "../view/text/fit.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";
import type { ChatCommands, ChatState } from "./conversation.ts";
import { isFilePath } from "./mentions.ts";

export interface ChatTools {
  invocation: Invocation;
  client: ReconnectingClient;
  leave(): void;
}

interface SlashCommand {
  /** The argument, for `/help`. */
  usage?: string;
  help: string;
  /** Whether the command can run while a run works. */
  atOnce?: true;
  run(argument: string, tools: ChatTools, state: ChatState): Promise<void>;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { help: "what you can type here", atOnce: true, run: help },
  agents: { help: "list the agents", atOnce: true, run: listAgents },
  agent: { usage: "NAME", help: "start a new conversation with this agent", run: useAgent },
  model: { usage: "[NAME]", help: "use another model from the next message on", run: useModel },
  runs: { help: "list the latest runs", atOnce: true, run: listRuns },
  resume: { usage: "[NUMBER|RUN]", help: "return to an earlier conversation", run: resume },
  fork: { usage: "[RUN#SEQ]", help: "let the next message continue from an earlier event", run: fork },
  undo: { usage: "[RUN#SEQ]", help: "take back the file changes of the latest run", run: undo },
  cost: { help: "what this conversation has cost", atOnce: true, run: cost },
  new: { help: "start a new conversation", run: startNew },
  exit: { help: "leave; `/resume` returns to the conversation", atOnce: true, run: exit },
};

export function createSlashCommands(tools: ChatTools, state: ChatState): ChatCommands {
  const { folder } = tools.invocation;
  return {
    isCommand: (text) => parse(text)[0] in COMMANDS,
    runsAtOnce: (text) => COMMANDS[parse(text)[0]]?.atOnce === true,
    async run(text) {
      const [name, argument] = parse(text);
      await COMMANDS[name]!.run(argument, tools, state);
    },
    async refuseUnknown(text) {
      const asked = readSlashCommand(text);
      if (!asked || isFilePath(text.split(/\s/)[0]!, folder)) return;
      const trust = { trusted: true, nonce: () => "" };
      if ((await expandSlashCommand(text, projectOf(tools.invocation), trust)).typed !== undefined) return;
      throw usageError(`There is no command /${asked.name}. /help lists them. Nothing was sent.`);
    },
  };
}

/** The names of all commands, with their slash. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS).map((name) => `/${name}`);

function parse(text: string): [name: string, argument: string] {
  const [, name = "", argument = ""] = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return [Object.hasOwn(COMMANDS, name) ? name : "", argument.trim()];
}

function say({ invocation: { screen } }: ChatTools, lines: readonly string[]): void {
  for (const line of fitLines(lines, screen)) screen.line(line);
}

async function help(_: string, tools: ChatTools): Promise<void> {
  const { screen } = tools.invocation;
  const rows = Object.entries(COMMANDS).map(([name, { usage, help }]) => [
    `/${name}${usage === undefined ? "" : ` ${usage}`}`,
    help,
  ]);
  say(tools, ["", ...table(rows), ...table(KEYS_HELP).map((line) => screen.paint("dim", line))]);
}

const KEYS_HELP = [
  ["Enter", "send; while a run works: queue"],
  ["Ctrl-S", "send now: the run reads it before its next step"],
  ["Esc", "pause the run; once more: cancel it"],
  ["Alt-Enter, Ctrl-J", "a new line"],
  ["↑ ↓", "earlier messages"],
  ["Tab", "complete a command or an @file; or move to the open question"],
  ["@file", "attach a file; a path of an image or a PDF is attached as well"],
];

async function listAgents(_: string, { invocation }: ChatTools): Promise<void> {
  const { list } = await import("../commands/agents/list.ts");
  await list(invocation, {});
}

async function useAgent(name: string, tools: ChatTools, state: ChatState): Promise<void> {
  if (name === "") throw usageError("Which agent? Write /agent NAME. /agents lists them.");
  await tools.client.withClient((api) => api.get("/api/agents/{name}", { name }));
  Object.assign(state, { agent: name, head: undefined, branch: undefined });
  state.runs.clear();
  say(tools, [`The next message starts a conversation with ${plainLine(name)}.`]);
}

async function useModel(name: string, tools: ChatTools, state: ChatState): Promise<void> {
  if (name !== "") {
    state.model = name;
    return say(tools, [`From the next message on: model ${modelLabel(name)}.`]);
  }
  const { model } = state;
  say(tools, [
    model === undefined ? "Each agent uses the model of its file." : `Model ${modelLabel(model)}.`,
    "Another one: /model NAME",
  ]);
}

async function listRuns(_: string, { invocation }: ChatTools): Promise<void> {
  const { runs } = await import("../commands/runs.ts");
  await runs(invocation, { limit: "10" });
}

const MOST_LISTED = 9;

/** The latest run of each conversation, newest first. A run without a session is a conversation of its own. */
async function conversations({ client }: ChatTools): Promise<RunSummary[]> {
  const { runs } = await client.withClient((api) => api.get("/api/runs", { roots: true, limit: 100 }));
  const latest = new Map<string, RunSummary>();
  for (const run of runs) if (!latest.has(run.sessionId ?? run.id)) latest.set(run.sessionId ?? run.id, run);
  return [...latest.values()].slice(0, MOST_LISTED);
}

async function resume(which: string, tools: ChatTools, state: ChatState): Promise<void> {
  const { screen } = tools.invocation;
  const listed = await conversations(tools);
  if (which === "") {
    if (listed.length === 0) return say(tools, ["There is no earlier conversation here."]);
    const rows = listed.map(({ agent, createdAt, task }, index) => [
      `/resume ${index + 1}`,
      plainLine(agent),
      ago(createdAt, Date.now()),
      plainLine(task),
    ]);
    for (const line of table(rows)) screen.line(truncate(line, screen.columns - 1));
    return;
  }
  const id = /^\d$/.test(which) ? listed[Number(which) - 1]?.id : which;
  if (id === undefined) throw usageError(`There is no conversation ${which}. /resume lists them.`);
  await returnTo(id, tools, state);
}

/** Makes the run the latest one of the conversation, and shows how it ended. */
export async function returnTo(
  id: string,
  tools: Pick<ChatTools, "client" | "invocation">,
  state: ChatState,
): Promise<void> {
  const { screen } = tools.invocation;
  const run = await tools.client.withClient((api) => api.get("/api/runs/{id}", { id }));
  Object.assign(state, { head: run.id, agent: run.agent, branch: undefined });
  state.runs.clear();
  state.runs.add(run.id);
  const { paint, columns } = screen;
  const said = plainLine(run.summary ?? "");
  screen.line(paint("dim", `Back in the conversation with ${plainLine(run.agent)} (run ${run.id}):`));
  screen.line(truncate(`› ${plainLine(run.task)}`, columns - 1));
  if (said !== "") screen.line(truncate(`  ${said}`, columns - 1));
}

async function fork(where: string, tools: ChatTools, state: ChatState): Promise<void> {
  if (where === "" && state.head === undefined)
    throw usageError("There is nothing to fork yet. Write /fork RUN#SEQ.");
  const given = /^#?\d+$/.test(where) ? `${state.head ?? ""}#${where.replace("#", "")}` : where;
  const { runId, seq } = parseRunReference(given === "" ? state.head! : given);
  const { id } = await tools.client.withClient((api) => api.get("/api/runs/{id}", { id: runId }));
  state.branch = seq === undefined ? { runId: id } : { runId: id, seq };
  const at = seq === undefined ? "the latest event" : `event ${seq}`;
  say(tools, [`The next message starts a new run from ${at} of run ${id}, which stays as it is.`]);
}

/** Takes back the latest run of the conversation at once: `/undo` is typed on purpose, and the replaced files are kept. */
async function undo(where: string, { client, invocation }: ChatTools, { head }: ChatState): Promise<void> {
  const given = /^#?\d+$/.test(where) ? `${head ?? ""}#${where.replace("#", "")}` : where || head;
  if (given === undefined) throw usageError("There is nothing to take back yet. Write /undo RUN#SEQ.");
  const { undoLines, undoOf } = await import("../commands/undo.ts");
  const done = await client.withClient((api) => undoOf(api, parseRunReference(given)));
  for (const line of fitLines(undoLines(done, invocation), invocation.screen)) invocation.screen.line(line);
}

async function cost(_: string, { client, invocation }: ChatTools, { head, runs }: ChatState): Promise<void> {
  const ids = new Set(runs);
  const all = await client.withClient(async (api) => {
    const session = head && (await api.get("/api/runs/{id}", { id: head })).sessionId;
    const page = session ? (await api.get("/api/runs", { session, roots: true, limit: 100 })).runs : [];
    for (const { id } of page) ids.add(id);
    return Promise.all([...ids].map((id) => api.get("/api/runs/{id}", { id })));
  });
  const sum = { input: 0, output: 0, cost: 0, unpriced: 0 };
  for (const { treeUsage } of all)
    for (const key of ["input", "output", "cost", "unpriced"] as const) sum[key] += treeUsage[key];
  const { screen } = invocation;
  screen.line(`${plural(all.length, "run")} · ${describeTokens(sum)} · ${describeCost(sum)}`);
}

async function startNew(_: string, tools: ChatTools, state: ChatState): Promise<void> {
  Object.assign(state, { head: undefined, branch: undefined });
  state.runs.clear();
  say(tools, ["The next message starts a new conversation."]);
}

async function exit(_: string, { leave }: ChatTools): Promise<void> {
  leave();
}
