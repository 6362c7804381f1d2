// `cadre users`: manages named users and their roles. The holder of the folder's token also has access.

import type { CadreClient } from "../../api/client/client.ts";
import { type CreatedUser, NewUser, RoleView } from "../../api/routes/users.ts";
import { loadConfig } from "../../config/config.ts";
import { ago } from "../../projections/words/format.ts";
import { isFileStore } from "../../runtime/owned-runtime.ts";
import { withClient } from "../connection/connect.ts";
import { withServerClient } from "../connection/server-client.ts";
import { type Invocation, report, tableWidth, usageError } from "../invocation.ts";
import { plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list(invocation: Invocation): Promise<number> {
  const { users } = await withClient(invocation, (client) => client.get("/api/users"));
  const none = `There are no named users yet. Add one: ${invocation.commandLine("users add NAME --role operator")}`;
  const now = Date.now();
  const rows = users.map(({ name, role, madeBy, madeAt, rotatedAt, revokedAt }) => [
    plainLine(name),
    role,
    revokedAt === undefined ? `token made ${ago(rotatedAt, now)}` : `revoked ${ago(revokedAt, now)}`,
    `by ${plainLine(madeBy)}, ${ago(madeAt, now)}`,
  ]);
  return report(invocation, { users }, users.length === 0 ? [none] : table(rows, tableWidth(invocation)));
}

export async function add(invocation: Invocation, name: string, { role }: { role: string }): Promise<number> {
  const user = NewUser.safeParse({ name, role });
  if (!user.success)
    throw usageError(`${plainLine(name)} is not a valid user name: it ${user.error.issues[0]!.message}.`);
  const made = await asAdmin(invocation, (client) => client.post("/api/users", { body: user.data }));
  const { io, folder } = invocation;
  const sees = loadConfig({ folder, env: io.env }).users?.see ?? "own";
  return report(invocation, made, [
    ...tokenLines(made, `${made.name} now has access as ${user.data.role}.`),
    ...(user.data.role === "viewer" && sees === "own" ? [SEES_NOTHING] : []),
  ]);
}

const SEES_NOTHING =
  "A viewer cannot start runs and sees only their own: set `users: { see: all }` in cadre.yaml to share all.";

export async function rotate(invocation: Invocation, name: string): Promise<number> {
  const made = await asAdmin(invocation, (client) => client.post("/api/users/{name}/rotate", { name }));
  const line = `${made.name} has a new token. Sessions of the old one have ended.`;
  return report(invocation, made, tokenLines(made, line));
}

/** Prints a sign-in link for a user or, if no name is given, for the holder of the token. Only a running server can make links. */
export async function link(invocation: Invocation, name: string | undefined): Promise<number> {
  const { io, folder } = invocation;
  const make = (client: CadreClient) =>
    name === undefined ? client.post("/api/link") : client.post("/api/users/{name}/link", { name });
  const config = loadConfig({ folder, env: io.env });
  const { url, expiresAt } = await (isFileStore(config)
    ? asAdmin(invocation, make)
    : withServerClient(config, io, make));
  const whose = name === undefined ? "" : ` of ${plainLine(name)}`;
  return report(invocation, { url, expiresAt }, [`For one browser${whose}, once: ${url}`]);
}

export async function role(invocation: Invocation, name: string, wanted: string): Promise<number> {
  const given = RoleView.safeParse(wanted);
  if (!given.success)
    throw usageError(
      `${plainLine(wanted)} is not a role: use one of ${RoleView.options.join(", ")}. Nothing was changed.`,
    );
  await asAdmin(invocation, (client) =>
    client.post("/api/users/{name}/role", { name, body: { role: given.data } }),
  );
  const line = `${plainLine(name)} is now ${given.data}, with the same token. Open sessions have ended.`;
  return report(invocation, { name, role: given.data }, [line]);
}

export async function revoke(invocation: Invocation, name: string): Promise<number> {
  await asAdmin(invocation, (client) => client.delete("/api/users/{name}", { name }));
  const line = `${plainLine(name)}'s access has been revoked. Their runs are kept and continue.`;
  return report(invocation, { revoked: name }, [line]);
}

const asAdmin = <T>(invocation: Invocation, use: (client: CadreClient) => Promise<T>): Promise<T> =>
  withClient(invocation, use, { createsStore: true });

const tokenLines = ({ token, link }: CreatedUser, first: string): string[] => [
  first,
  `Token, shown only once: ${token}`,
  ...(link === undefined ? [] : [`For one browser of theirs, once: ${link}`]),
];
