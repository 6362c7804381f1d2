// Finds another port for `cadre up` if the usual one is taken, so that several projects can be up at the same time.

import { canListen } from "./can-listen.ts";

export interface ChosenPort {
  port: number;
  /** Says who has the usual port. Absent if the usual port is free, or if no other port is. */
  taken?: string;
}

/** Number of ports that are tried after the usual one. */
const MOST = 20;
const ANSWER_MS = 1_000;

/** Returns the usual port, or the next free one. `folderOf` finds the folder whose Cadre serves its page on a port. */
export async function nextFreePort(
  host: string,
  usual: number,
  folderOf: (port: number) => Promise<string | undefined> = async () => undefined,
): Promise<ChosenPort> {
  if (await canListen(host, usual)) return { port: usual };
  for (let port = usual + 1; port <= usual + MOST; port++)
    if (await canListen(host, port))
      return {
        port,
        taken: `Port ${usual} is used by ${await holderOf(host, usual, folderOf)}: this is port ${port}.`,
      };
  return { port: usual };
}

/** Recognizes another Cadre by its liveness check, which needs no token. */
async function holderOf(
  host: string,
  port: number,
  folderOf: (port: number) => Promise<string | undefined>,
): Promise<string> {
  const where = host.includes(":") ? `[${host}]` : host;
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const { status } = (await (await fetch(`http://${where}:${port}/healthz`, { signal })).json()) as {
      status?: unknown;
    };
    if (status !== "ok" && status !== "unwell") return "another program";
    return `the Cadre of ${(await folderOf(port)) ?? "another folder"}`;
  } catch {
    return "another program";
  }
}
