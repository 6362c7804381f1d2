// `node examples/add-auth/main.ts [--kill]`: six agents, in twelve runs, add authentication to a small service.
// Only the model is scripted. The files, tests, git commands and the remote are real.
// If a check fails, the example prints one sentence for each problem and exits with 1.

import { connect } from "../../src/cli/connection/connect.ts";
import type { JournalEvent } from "../../src/journal/events.ts";
import { ENVIRONMENT } from "../shared/environment.ts";
import { treeLines } from "../shared/tree.ts";
import { problemsOf } from "./checks.ts";
import { liveThrough } from "./lives.ts";
import { makeStage, type Stage } from "./stage.ts";
import { createStory, nameOf } from "./story.ts";

process.exitCode = await addAuth(process.argv.includes("--kill"));

async function addAuth(kill: boolean): Promise<number> {
  const stage = await makeStage();
  say(`The service is in ${stage.folder}, its remote beside it. The model is scripted; the rest is real.\n`);
  const { root, kills } = await work(stage, kill);
  const problems = await judge(stage, root);
  if (kill && kills !== 1) problems.push(`The process was killed ${kills} times, not once.`);
  for (const problem of problems) console.error(`\nNot as it should be: ${problem}`);
  if (problems.length > 0) return 1;
  say(
    "\nChecked: every run is done, add-auth is on the remote with green tests and a pull request, and nothing was done twice.",
  );
  say(
    `\n  cadre show ${root} -C ${stage.folder}\n  git -C ${stage.folder} log --oneline --stat main..add-auth`,
  );
  return 0;
}

async function work({ folder }: Stage, kill: boolean): Promise<{ root: string; kills: number }> {
  const story = createStory();
  const isMoment = firstCommandOfWorker();
  let root = "";
  let kills = 0;
  await liveThrough(folder, {
    saw(event) {
      root ||= event.runId;
      const line = story(event);
      if (line !== undefined) say(line);
      return kill && isMoment(event);
    },
    killed() {
      kills++;
      say("\n  Killed (SIGKILL) while a worker had a command under way. Another process goes on:\n");
    },
  });
  return { root, kills };
}

/** The function returns true once: when a worker starts its first unsafe command. This is the worst moment for a kill. */
function firstCommandOfWorker(): (event: JournalEvent) => boolean {
  const workers = new Set<string>();
  const commands = new Set<string>();
  let isOver = false;
  return ({ type, runId, payload }) => {
    if (type === "RUN_STARTED" && payload.agent === "factory/worker") workers.add(runId);
    if (type === "TOOL_PROPOSED" && payload.effect === "unsafe")
      commands.add(`${runId}/${payload.toolCallId}`);
    if (isOver || type !== "TOOL_STARTED" || !workers.has(runId)) return false;
    isOver = commands.has(`${runId}/${payload.toolCallId}`);
    return isOver;
  };
}

/** Prints the tree of runs, and returns the problems that the checks find. */
async function judge(stage: Stage, root: string): Promise<string[]> {
  const { client, close } = await connect({ folder: stage.folder, io: { env: ENVIRONMENT }, drive: false });
  try {
    const [top, events] = await Promise.all([
      client.get("/api/runs/{id}/tree", { id: root }),
      client.treeEvents(root),
    ]);
    say(`\n${treeLines(top, nameOf).join("\n")}`);
    return problemsOf(stage, top, events);
  } finally {
    await close();
  }
}

function say(text: string): void {
  console.log(text);
}
