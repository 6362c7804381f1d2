// Sets up the work of an example as two projects in temporary folders: one with its pattern, one with a coordinator and the
// same agents and texts, but without the pattern.

import { globSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { Example } from "../examples/shared/play.ts";
import { baseName } from "../src/journal/agent-id.ts";
import { chooserOf } from "../src/models/scripted/model.ts";
import { parseScript, type Script, type ScriptedTurn } from "../src/models/scripted/script.ts";
import type { Coordinator } from "./coordinators.ts";

export interface Staged extends AsyncDisposable {
  folder: string;
  agent: string;
  task: string;
  /** A text that the answer must contain in both versions. */
  says: string;
  script: Exclude<Script, { turns: unknown }>;
}

const ROOT = join(import.meta.dirname, "..");
const PATTERN_KEYS = ["handoff", "router", "advisors", "team", "bestOf", "steps"];
const COORDINATOR = "coordinator";

export async function asItStands(name: string): Promise<Staged> {
  const { folder, agent, task, says, turns, dispose } = await copied(name);
  return { folder, agent, task, says, script: chooserOf(turns), [Symbol.asyncDispose]: dispose };
}

export async function coordinated(coordinator: Coordinator): Promise<Staged> {
  const { folder, task, says, turns, dispose } = await copied(coordinator.example);
  const agents = join(folder, "agents");
  await cp(join(ROOT, "agents/patterns"), join(agents, "patterns"), { recursive: true });
  const prompt = await withoutPatterns(agents, coordinator);
  await writeFile(join(agents, `${COORDINATOR}.md`), fileOf(keysOf(coordinator), prompt));
  const plain = turns.map(inWords);
  const own = coordinator.turns({ task, said: (agent) => saidBy(agent, plain) });
  const others = chooserOf(plain);
  const script: Staged["script"] = (request) =>
    request.agent === COORDINATOR ? own[request.turn - 1] : others(request);
  return { folder, agent: COORDINATOR, task, says, script, [Symbol.asyncDispose]: dispose };
}

async function copied(name: string) {
  const [main] = globSync(`examples/*-${name}/main.ts`, { cwd: ROOT });
  const { example } = (await import(join(ROOT, main!))) as { example: Example };
  const folder = await mkdtemp(join(tmpdir(), "cadre-bench-"));
  await cp(example.folder, folder, { recursive: true });
  await writeFile(join(folder, "cadre.yaml"), "model: scripted/bench\n");
  const task = (await readFile(join(folder, "task.txt"), "utf8")).trim();
  const file = `${name}.script.yaml`;
  const { turns } = parseScript(await readFile(join(folder, file), "utf8"), file);
  const dispose = () => rm(folder, { recursive: true, force: true });
  return { folder, agent: example.agent, task, says: example.expected.answer.says, turns, dispose };
}

/** Prepares every agent in a folder; returns the descriptions that the coordinator's model reads. */
async function withoutPatterns(folder: string, { as, instructions = "" }: Coordinator): Promise<string> {
  let prompt = instructions;
  for (const entry of await readdir(folder, { recursive: true })) {
    if (!entry.endsWith(".md") || entry.endsWith("README.md")) continue;
    const path = join(folder, entry);
    const [, front, body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(await readFile(path, "utf8"))!;
    const keys = Object.entries(parse(front!) as object).filter(([key]) => !PATTERN_KEYS.includes(key));
    await writeFile(path, fileOf(Object.fromEntries(keys), body));
    if (as !== undefined && entry.endsWith(`${as}.md`)) prompt = body;
  }
  return prompt;
}

const keysOf = ({ agents }: Coordinator): object => ({
  description: "Leads the others.",
  tools: [],
  agents: agents.map((name) => `patterns/${name}`),
  delegation: { mode: "parallel" },
});

const fileOf = (keys: object, body: string): string => `---\n${stringify(keys)}---\n${body}\n`;

/** Outside a team a member cannot broadcast, so it gives the same text as its answer. */
function inWords(turn: ScriptedTurn): ScriptedTurn {
  const { calls = [], ...rest } = turn;
  const said = calls.flatMap(({ tool, input }) => {
    const { message, ready, reason } = input as { message?: string; ready?: boolean; reason?: string };
    if (tool === "broadcast") return [message];
    return tool === "vote_conclude" ? [`It votes to ${ready ? "conclude" : "go on"}: ${reason}`] : [];
  });
  return said.length === 0 ? turn : { ...rest, text: said.join("\n\n") };
}

/** The answers of an agent in a script, in order. */
function saidBy(agent: string, turns: readonly ScriptedTurn[]): string[] {
  return turns
    .filter(({ when }) => baseName(when?.agent ?? "") === agent)
    .flatMap(({ text, report, calls }) => (calls ? [] : [text ?? report!.summary]));
}
