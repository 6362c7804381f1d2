// Doctor's checks that need the open store: its processes and workers, the agents, the model and the runs.

import type { CadreClient } from "../../api/client/client.ts";
import type { Health, WorkerView } from "../../api/client/types.ts";
import type { Problem } from "../../config/problem.ts";
import { messageOf } from "../../errors.ts";
import { ago, plural } from "../../projections/words/format.ts";
import { problemFinding } from "../../runtime/checks/config.ts";
import type { Finding } from "../../runtime/checks/machine.ts";
import { driverCommands, dueText } from "../view/drivers.ts";
import { modelLabel } from "../view/live/live-view.ts";

/** `server`: the `cadre up` of this folder, if it is another process than the owner of the store. */
export async function projectChecks(client: CadreClient, server: Health | undefined): Promise<Finding[]> {
  const [health, workers, agents, { runs }] = await Promise.all([
    client.get("/api/health"),
    client.get("/api/workers").then(({ workers }) => workers),
    client.get("/api/agents").then(({ agents }) => agents),
    client.get("/api/runs", { limit: 500, status: ["pending", "running", "waiting", "suspended"] }),
  ]);
  const now = Date.now();
  const ahead = runs.find((run) => run.updatedAt > now + 60_000);
  const aside = runs.filter((run) => run.waitingOn?.kind === "quarantine");
  const own = agents.filter(({ file }) => !file.startsWith("builtin:"));
  const problems = own.flatMap((agent) => agent.problems);
  return [
    { state: "ok", name: "store", text: whoHas(health, server, now) },
    ...(health.isShared ? [whoDrives(health, workers)] : []),
    ...workers.filter(({ silent }) => silent).map((worker) => silentWorker(worker, health, now)),
    ...problems.map((problem) => problemFinding("agents", problem as Problem)),
    { state: "ok", name: "agents", text: agentWords(own, agents.length - own.length) },
    modelFinding(health.model),
    ...(ahead ? [clockWentBack(ahead.id)] : []),
    ...aside.map(({ id }) => quarantined(id)),
    ...(aside.length === 0
      ? [{ state: "ok" as const, name: "runs", text: `${plural(runs.length, "run")} not finished` }]
      : []),
  ];
}

/** A store on Postgres has no owner; this command has opened it. */
function whoHas({ pid, startedAt, isShared }: Health, server: Health | undefined, now: number): string {
  if (pid !== process.pid) return `process ${pid} has it since ${ago(startedAt, now)}`;
  if (server) return `process ${server.pid} serves it since ${ago(server.startedAt, now)}`;
  return isShared ? "no `cadre up` of this folder answers" : "no Cadre process is running here";
}

function whoDrives(health: Health, workers: readonly WorkerView[]): Finding {
  const name = "workers";
  const alive = workers.filter(({ silent }) => !silent).length;
  if (alive > 0) return { state: "ok", name, text: `${plural(alive, "worker")} at work` };
  const text = `nobody drives runs here${dueText(health)}`;
  return { state: health.due ? "warn" : "ok", name, text, fix: `start ${driverCommands(health)}` };
}

const silentWorker = ({ name, pid, host, seenAt }: WorkerView, { drives }: Health, now: number): Finding => ({
  state: "warn",
  name: "workers",
  text: `${name} is silent, seen ${ago(seenAt, now)}: dead, frozen or cut off`,
  fix: `look at process ${pid} on ${host}${drives ? "; others take its runs" : ""}`,
});

/** Built-in agents are only counted; their problems are not the user's to fix. */
function agentWords(own: readonly { name: string }[], builtin: number): string {
  const names = own.length === 0 ? "none of your own" : own.map(({ name }) => name).join(", ");
  return `${names}; ${builtin} built in`;
}

export function storeFailure(error: unknown): Finding[] {
  return [{ state: "bad", name: "store", text: messageOf(error) }];
}

function modelFinding(model: string): Finding {
  const name = "model";
  if (!model.startsWith("scripted/")) return { state: "ok", name, text: modelLabel(model) };
  return {
    state: "warn",
    name,
    text:
      model === "scripted/rehearsal"
        ? "no provider's key was found, so agents without a model only rehearse"
        : `${modelLabel(model)}: agents without a model play a script`,
    fix: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or `model:` in cadre.yaml",
  };
}

const clockWentBack = (runId: string): Finding => ({
  state: "warn",
  name: "clock",
  text: `run ${runId} was written to in the future: the clock has gone back`,
  fix: "check the clock; order is kept all the same",
});

const quarantined = (runId: string): Finding => ({
  state: "bad",
  name: "runs",
  text: `${runId} is set aside: it could not be driven`,
  fix: `look at it with \`cadre show ${runId}\`, then \`cadre resume ${runId}\` or \`cadre cancel ${runId}\``,
});
