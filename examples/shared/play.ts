// Runs an example with the real runtime, on a copy of the example's folder.
// Prints the journal of the first run, the texts that other agents read, and the tree.
// Compares the result with the example's expectations.
// The model is scripted. If `--model` chooses another model, the only check is that every run completed.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { CadreClient } from "../../src/api/client/client.ts";
import type { ApprovalView, DecisionBody } from "../../src/api/client/types.ts";
import { connect } from "../../src/cli/connection/connect.ts";
import { allNodes } from "../../src/cli/view/text/branches.ts";
import { plain } from "../../src/cli/view/text/plain.ts";
import { baseName } from "../../src/journal/agent-id.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { type Expected, type Played, problemsOf, unfinishedRuns } from "./checks.ts";
import { journalLines } from "./journal.ts";
import { makeStage } from "./stage.ts";
import { treeLines } from "./tree.ts";

export interface Example {
  /** The folder of the example. The script and the model are named after this folder, without its number. */
  folder: string;
  /** The agent that gets the task. */
  agent: string;
  /** Answers the questions and approvals of the example. Absent if the example never asks a person. */
  person?: (item: ApprovalView) => DecisionBody;
  /** Agents whose prompts are printed in full. */
  shows: string[];
  expected: Expected;
}

/** The entry point of an example. Exits with 1 if the checks find problems. */
export async function main(example: Example): Promise<void> {
  const { model } = parseArgs({ options: { model: { type: "string" } } }).values;
  const problems = await play(example, (text) => console.log(text), model);
  for (const problem of problems) console.error(`\nNot as it should be: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

/** Runs the example. Returns one sentence for each problem. */
async function play(example: Example, say: (text: string) => void, model?: string): Promise<string[]> {
  const { folder, env } = await makeStage(example.folder, model);
  const { client, problems, close } = await connect({ folder, io: { env }, drive: true });
  try {
    if (problems.length > 0) return problems;
    const task = (await readFile(join(folder, "task.txt"), "utf8")).trim();
    const { runId } = await client.post("/api/runs", { body: { agent: example.agent, task } });
    await followToEnd(runId, client, example.person, model === undefined ? PATIENCE_MS : LONG_PATIENCE_MS);
    const played = await playedOf(runId, client);
    for (const text of reportLines(example, played)) say(text);
    const wrong = model === undefined ? problemsOf(example.expected, played, folder) : unfinishedRuns(played);
    const word = model === undefined ? "Checked." : `Ended, with ${model}.`;
    if (wrong.length === 0) say(`\n${word}\n\n  cadre show ${runId} -C ${folder}`);
    return wrong;
  } finally {
    await close();
  }
}

/** Time limit for an example. An example never waits for a real person or for the network. If it is slower than this, the checks say why. */
const PATIENCE_MS = 60_000;
const LONG_PATIENCE_MS = 600_000;

async function followToEnd(
  runId: string,
  client: CadreClient,
  person: Example["person"],
  patience: number,
): Promise<void> {
  const signal = AbortSignal.timeout(patience);
  for await (const item of client.follow({ runId, tree: true, signal })) {
    if (person === undefined || item.type !== "event" || item.event.type !== "RUN_SUSPENDED") continue;
    for (const open of (await client.get("/api/approvals", { run: runId })).approvals)
      await client.post("/api/approvals/{id}", { id: open.id, body: person(open) });
  }
}

/** Reads what an example did, for the checks. */
export async function playedOf(runId: string, client: CadreClient): Promise<Played> {
  const [tree, events] = await Promise.all([
    client.get("/api/runs/{id}/tree", { id: runId }),
    client.treeEvents(runId),
  ]);
  const told = allNodes(tree).map(async ({ id }) => [id, await textReadBy(id, client)] as const);
  return { tree, events, told: new Map(await Promise.all(told)) };
}

/** All user messages that the model read: the task and every later message. */
async function textReadBy(runId: string, client: CadreClient): Promise<string> {
  const { messages } = await client.transcript(runId);
  return messages
    .flatMap((message) =>
      message.role === "user"
        ? message.content.map((part) => (part.type === "text" ? part.text : part.name))
        : [],
    )
    .join("\n\n");
}

function reportLines({ shows }: Example, { tree, events, told }: Played): string[] {
  const own = events.filter(({ runId }) => runId === tree.id);
  const runs = allNodes(tree);
  const read = shows.map((name) => {
    const { id } = runs.findLast(({ agent }) => baseName(agent) === name) ?? tree;
    return `\n── what ${name} reads\n${plain(told.get(id)!)}`;
  });
  return [
    `── the journal of ${baseName(tree.agent)}\n${journalLines(own).join("\n")}`,
    ...read,
    `\n── the answer\n${plain(answerOf(own.at(-1)))}`,
    `\n── the tree\n${treeLines(tree).join("\n")}`,
  ];
}

function answerOf(last: JournalEvent | undefined): string {
  if (last?.type !== "RUN_COMPLETED") return "(none)";
  const { summary, details } = last.payload.result;
  return [summary, details].filter(Boolean).join("\n\n");
}
