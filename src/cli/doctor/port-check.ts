// Doctor's check of the port for `cadre up`.

import type { Config } from "../../config/config.ts";
import type { Finding } from "../../runtime/checks/machine.ts";
import { canListen } from "../serve/can-listen.ts";

const name = "port";
const ANSWER_MS = 2_000;

/** `isUp`: a process of this project is running, so it may be the one that listens. */
export async function portCheck(
  { host, port }: Config["server"],
  { isUp }: { isUp: boolean },
): Promise<Finding> {
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (await canListen(host, port)) return { state: "ok", name, text: `${place} is free for cadre up` };
  const answers = await isCadre(place);
  if (answers && isUp) return { state: "ok", name, text: `cadre up answers at ${place}` };
  const who = answers ? "the Cadre of another folder" : "another program";
  return {
    state: "warn",
    name,
    text: `cadre up cannot listen on ${place}: ${who} does, or the address is none of this machine`,
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
