// What `cadre doctor` says of the port that `cadre up` would listen on.

import { loadConfig } from "../config.ts";
import { canListen } from "./can-listen.ts";
import type { Finding } from "./health-checks.ts";

type Env = Readonly<Record<string, string | undefined>>;

const name = "port";
const ANSWER_MS = 2_000;

export async function portCheck(folder: string, env: Env): Promise<Finding> {
  const { host, port } = loadConfig({ folder, env }).server;
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (await canListen(host, port)) return { state: "ok", name, text: `${place} is free for cadre up` };
  if (await isCadre(place)) return { state: "ok", name, text: `cadre up answers at ${place}` };
  return {
    state: "warn",
    name,
    text: `nothing of Cadre's can listen on ${place}: another program does, or the address is none of this machine`,
    fix: "cadre up --port <n>, or `server: { port: <n> }` in cadre.yaml",
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
