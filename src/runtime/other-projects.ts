// The other projects of this user, as the page of one project shows them. Each is asked over its private socket,
// which only this user can open, and only with its key.

import { setTimeout as pause } from "node:timers/promises";
import { type CadreClient, createClient, isUnreachable } from "../api/client/client.ts";
import type { OtherProjects, ProjectView } from "../api/routes/projects.ts";
import { socketFetch } from "../api/server/socket.ts";
import { type KnownProject, listProjects, projectId } from "../config/project-list.ts";
import { readSocketKey } from "../config/socket-key.ts";
import type { Env } from "../config/trust.ts";
import { CadreError, toCadreError } from "../errors.ts";
import { socketPath } from "./assembly.ts";

/** A project that is suspended or very busy does not hold up the list. */
const ANSWER_MS = 1_500;

export function otherProjects(folder: string, env: Env): OtherProjects {
  const others = (): KnownProject[] => listProjects(env).filter(({ id }) => id !== projectId(folder));
  return {
    list: () => Promise.all(others().map((project) => viewOf(project, env))),
    async link(id) {
      const project = others().find((other) => other.id === id);
      if (!project) throw new CadreError("NOT_FOUND", `There is no other project ${id}.`);
      try {
        return await clientOf(project, env).post("/api/link");
      } catch (error) {
        if (!isUnreachable(error) && toCadreError(error).code !== "CONFLICT") throw error;
        throw new CadreError(
          "CONFLICT",
          `No web page is up in ${project.folder}: start \`cadre up -C ${project.folder}\`.`,
          undefined,
          error,
        );
      }
    },
  };
}

/** The folder of the project whose page is served on the port. Undefined if it is none of this user's other projects. */
export async function folderServing(port: number, folder: string, env: Env): Promise<string | undefined> {
  const { list, link } = otherProjects(folder, env);
  for (const project of await list()) {
    if (!project.isUp) continue;
    const served = await link(project.id).catch(() => undefined);
    if (served && new URL(served.url).port === String(port)) return project.folder;
  }
  return undefined;
}

function clientOf({ dir }: KnownProject, env: Env): CadreClient {
  const socket = socketPath(dir);
  return createClient({ fetch: socketFetch(socket, () => readSocketKey(socket, env)) });
}

async function viewOf(project: KnownProject, env: Env): Promise<ProjectView> {
  const { id, folder } = project;
  const late = pause(ANSWER_MS, undefined, { ref: false });
  const found = await Promise.race([ask(clientOf(project, env)), late]).catch(() => undefined);
  return { id, folder, ...(found ?? { isUp: false, waiting: 0, working: 0 }) };
}

async function ask(client: CadreClient): Promise<Omit<ProjectView, "id" | "folder">> {
  const [{ isServer }, { approvals }, { total = 0 }] = await Promise.all([
    client.get("/api/health"),
    client.get("/api/approvals"),
    client.get("/api/runs", { status: ["pending", "running", "waiting"], limit: 1, total: true }),
  ]);
  return { isUp: isServer, waiting: approvals.length, working: total };
}
