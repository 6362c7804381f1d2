// Doctor's checks that need the open store: the port, the processes and workers, the agents, the model and the runs.

import type { CadreClient } from "../../api/client/client.ts";
import type { Health, WorkerView } from "../../api/client/types.ts";
import { type Config, isServerStore } from "../../config/config.ts";
import type { Problem } from "../../config/problem.ts";
import { CadreError, messageOf } from "../../errors.ts";
import { REHEARSAL } from "../../project/project.ts";
import { ago, plural } from "../../projections/words/format.ts";
import { readServerCapacity, type ServerCapacity } from "../../runtime/assembly.ts";
import { problemFinding } from "../../runtime/checks/config.ts";
import type { Finding } from "../../runtime/checks/machine.ts";
import { isFileStore } from "../../runtime/owned-runtime.ts";
import { salvageStore } from "../../runtime/salvage-store.ts";
import { serverHealth } from "../connection/server-client.ts";
import type { Io } from "../invocation.ts";
import { canListen } from "../serve/can-listen.ts";
import { driverCommands, dueText } from "../view/drivers.ts";
import { modelLabel } from "../view/live/live-view.ts";
import { plainLine } from "../view/text/plain.ts";

export async function openStoreChecks(client: CadreClient, config: Config, io: Io): Promise<Finding[]> {
  const { pid, storeId } = await client.get("/api/health");
  // On Postgres this command opens the store itself. It asks this folder's server only for its health.
  const server = isFileStore(config) ? undefined : await serverHealth(storeId, config, io);
  const isUp = pid !== process.pid || server !== undefined;
  return [await portCheck(config.server, { isUp }), ...(await projectChecks(client, server))];
}

/** A store that cannot be opened. If its file is damaged, the readable trees can be copied into a new file. */
export function storeFailure(error: unknown, { folder, env }: { folder: string; env: Io["env"] }): Finding[] {
  const mayBeDamaged = error instanceof CadreError && error.code === "STORAGE_UNUSABLE";
  const mend = async (): Promise<string | undefined> => {
    const { kept, trees, path } = await salvageStore({ folder, env });
    if (kept === undefined) return undefined;
    return `copied ${plural(trees, "tree")} into a new ${path}; the damaged file is kept as ${kept}`;
  };
  return [{ state: "bad", name: "store", text: messageOf(error), ...(mayBeDamaged ? { mend } : {}) }];
}

const ANSWER_MS = 2_000;

/** Checks whether `cadre up` could use its port. If `isUp` is true, a process of this project might be using the port itself. */
async function portCheck({ host, port }: Config["server"], { isUp }: { isUp: boolean }): Promise<Finding> {
  const name = "port";
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (await canListen(host, port)) return { state: "ok", name, text: `${place} is free for cadre up` };
  const answers = await isCadre(place);
  if (answers && isUp) return { state: "ok", name, text: `cadre up answers at ${place}` };
  const who = answers ? "the Cadre of another folder" : "another program";
  return {
    state: "warn",
    name,
    text: `cadre up cannot listen on ${place}: ${who} uses it, or the address does not belong to this machine`,
    fix: "`cadre up --port <n>`, or `server: { port: <n> }` in cadre.yaml",
  };
}

async function isCadre(place: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://${place}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return typeof ((await answer.json()) as { status?: unknown }).status === "string";
  } catch {
    return false;
  }
}

/** `server` is the health of this folder's `cadre up`. It is only set on Postgres. */
async function projectChecks(client: CadreClient, server: Health | undefined): Promise<Finding[]> {
  const [health, workers, agents, { runs }] = await Promise.all([
    client.get("/api/health"),
    client.get("/api/workers").then(({ workers }) => workers),
    client.get("/api/agents").then(({ agents }) => agents),
    client.get("/api/runs", { limit: 500, status: ["pending", "running", "waiting", "suspended"] }),
  ]);
  const now = Date.now();
  const ahead = runs.find((run) => run.updatedAt > now + 60_000);
  // An unreadable run that no process has tried to drive is found only by reading the whole run.
  const details = await Promise.all(runs.map(({ id }) => client.get("/api/runs/{id}", { id })));
  const aside = details.filter((run) => run.waitingOn?.kind === "quarantine");
  const own = agents.filter(({ file }) => !file.startsWith("builtin:"));
  const problems = own.flatMap((agent) => agent.problems);
  return [
    { state: "ok", name: "store", text: ownerText(health, server, now) },
    ...(health.isShared ? [driverFinding(health, workers)] : []),
    ...workers.filter(({ silent }) => silent).map((worker) => silentWorker(worker, health, now)),
    ...problems.map((problem) => problemFinding("agents", problem as Problem)),
    { state: "ok", name: "agents", text: agentText(own, agents.length - own.length) },
    modelFinding(health.model),
    ...(ahead ? [clockWentBack(ahead.id)] : []),
    ...aside.map(({ id, waitingOn }) => quarantineFinding(id, waitingOn?.detail)),
    ...(aside.length === 0
      ? [{ state: "ok" as const, name: "runs", text: `${plural(runs.length, "run")} not finished` }]
      : []),
  ];
}

/** Names the process that owns or serves the store. If no process owns it, doctor has opened the store itself. */
function ownerText({ pid, startedAt, isShared }: Health, server: Health | undefined, now: number): string {
  if (pid !== process.pid) return `process ${pid} owns it, started ${ago(startedAt, now)}`;
  if (server) return `process ${server.pid} serves it, started ${ago(server.startedAt, now)}`;
  return isShared ? "no `cadre up` of this folder answers" : "no Cadre process is running here";
}

function driverFinding(health: Health, workers: readonly WorkerView[]): Finding {
  const name = "workers";
  const alive = workers.filter(({ silent }) => !silent).length;
  if (alive > 0) return { state: "ok", name, text: `${plural(alive, "worker")} at work` };
  const text = `no process drives runs here${dueText(health)}`;
  return { state: health.due ? "warn" : "ok", name, text, fix: `start ${driverCommands(health)}` };
}

const silentWorker = ({ name, pid, host, seenAt }: WorkerView, { drives }: Health, now: number): Finding => ({
  state: "warn",
  name: "workers",
  text: `${name} is silent, last seen ${ago(seenAt, now)}: dead, hanging or cut off`,
  fix: `check process ${pid} on ${host}${drives ? "; other workers take over its runs" : ""}`,
});

/** Lists the project's agents by name. Built-in agents are only counted, because users cannot fix their problems. */
function agentText(own: readonly { name: string }[], builtin: number): string {
  const names = own.length === 0 ? "none of your own" : own.map(({ name }) => name).join(", ");
  return `${names}; ${builtin} built in`;
}

function modelFinding(model: string): Finding {
  const name = "model";
  if (!model.startsWith("scripted/")) return { state: "ok", name, text: modelLabel(model) };
  return {
    state: "warn",
    name,
    text:
      model === REHEARSAL
        ? "no provider's key was found, so agents that name no model only rehearse"
        : `${modelLabel(model)}: agents that name no model play a script`,
    fix: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or `model:` in cadre.yaml",
  };
}

const clockWentBack = (runId: string): Finding => ({
  state: "warn",
  name: "clock",
  text: `run ${runId} has an event from the future: the clock was set back`,
  fix: "check the clock; the order of events is not affected",
});

const quarantineFinding = (runId: string, detail: string | undefined): Finding => ({
  state: "bad",
  name: "runs",
  text: `${runId} is quarantined: ${detail === undefined ? "it could not be driven" : plainLine(detail)}`,
  fix: `look at it with \`cadre show ${runId}\`, then \`cadre resume ${runId}\` or \`cadre cancel ${runId}\``,
});

/** The most connections that one Cadre process opens: its pool, plus one connection for LISTEN. */
const EACH = 7;

export async function postgresChecks({ store }: Config): Promise<Finding[]> {
  if (!isServerStore(store)) return [];
  // If the database cannot be reached, this check reports nothing, because the next check reports the error.
  const room = await readServerCapacity(store).catch(() => undefined);
  return room ? [connectionsCheck(room)] : [];
}

export function connectionsCheck({ version, used, most }: ServerCapacity): Finding {
  const left = Math.max(0, most - used);
  const text = `${version}, ${left} of ${most} connections left`;
  if (left >= 2 * EACH) return { state: "ok", name: "Postgres", text };
  return {
    state: "warn",
    name: "Postgres",
    text: `${text}, and each process of Cadre opens up to ${EACH}`,
    fix: "raise max_connections and restart Postgres, or end what holds connections (SELECT * FROM pg_stat_activity)",
  };
}
