// `cadre users`: manages named users, who have access in addition to the holder of the folder's token, and their roles.

import type { CadreClient } from "../../api/client/client.ts";
import { type CreatedUser, NewUser, RoleView } from "../../api/routes/users.ts";
import { loadConfig } from "../../config/config.ts";
import { CadreError } from "../../errors.ts";
import { ago } from "../../projections/words/format.ts";
import { isFileStore } from "../../runtime/owned-runtime.ts";
import { withClient } from "../connection/connect.ts";
import { withServerClient } from "../connection/server-client.ts";
import { EXIT, type Invocation } from "../invocation.ts";
import { jsonLine, plainLine } from "../view/text/plain.ts";
import { table } from "../view/text/table.ts";

export async function list({ io, folder, json, screen, commandLine }: Invocation): Promise<number> {
  const users = await withClient({ folder, io }, (client) =>
    client.get("/api/users").then(({ users }) => users),
  );
  if (json) {
    screen.line(jsonLine({ users }));
    return EXIT.done;
  }
  if (users.length === 0)
    screen.line(`There are no named users yet. Add one: ${commandLine("users add NAME --role operator")}`);
  const now = Date.now();
  const rows = users.map(({ name, role, madeBy, madeAt, rotatedAt, revokedAt }) => [
    plainLine(name),
    role,
    revokedAt === undefined ? `token made ${ago(rotatedAt, now)}` : `revoked ${ago(revokedAt, now)}`,
    `by ${plainLine(madeBy)}, ${ago(madeAt, now)}`,
  ]);
  for (const line of table(rows, io.stdout.isTTY ? screen.columns : undefined)) screen.line(line);
  return EXIT.done;
}

export async function add(invocation: Invocation, name: string, { role }: { role: string }): Promise<number> {
  const user = NewUser.safeParse({ name, role });
  if (!user.success)
    throw new CadreError(
      "USAGE",
      `${plainLine(name)} is not a valid user name: it ${user.error.issues[0]!.message}.`,
    );
  const made = await asAdmin(invocation, (client) => client.post("/api/users", { body: user.data }));
  sayMade(invocation, made, `${made.name} now has access as ${user.data.role}.`);
  const { io, folder, json, screen } = invocation;
  const sees = loadConfig({ folder, env: io.env }).users?.see ?? "own";
  if (!json && user.data.role === "viewer" && sees === "own")
    screen.line(
      "A viewer cannot start runs and sees only their own: set `users: { see: all }` in cadre.yaml to share all.",
    );
  return EXIT.done;
}

export async function rotate(invocation: Invocation, name: string): Promise<number> {
  const made = await asAdmin(invocation, (client) => client.post("/api/users/{name}/rotate", { name }));
  sayMade(invocation, made, `${made.name} has a new token. Sessions of the old one have ended.`);
  return EXIT.done;
}

/** Without a name, the link is for the holder of the token. Only a running server can make links, and each makes its own. */
export async function link(invocation: Invocation, name: string | undefined): Promise<number> {
  const { io, folder, json, screen } = invocation;
  const make = (client: CadreClient) =>
    name === undefined ? client.post("/api/link") : client.post("/api/users/{name}/link", { name });
  const config = loadConfig({ folder, env: io.env });
  const { url, expiresAt } = await (isFileStore(config)
    ? asAdmin(invocation, make)
    : withServerClient(config, io, make));
  const whose = name === undefined ? "" : ` of ${plainLine(name)}`;
  screen.line(json ? jsonLine({ url, expiresAt }) : `For one browser${whose}, once: ${url}`);
  return EXIT.done;
}

export async function role(invocation: Invocation, name: string, wanted: string): Promise<number> {
  const given = RoleView.safeParse(wanted);
  if (!given.success)
    throw new CadreError(
      "USAGE",
      `${plainLine(wanted)} is not a role: use one of ${RoleView.options.join(", ")}. Nothing was changed.`,
    );
  await asAdmin(invocation, (client) =>
    client.post("/api/users/{name}/role", { name, body: { role: given.data } }),
  );
  const { json, screen } = invocation;
  const line = `${plainLine(name)} is now ${given.data}, with the same token. Open sessions have ended.`;
  screen.line(json ? jsonLine({ name, role: given.data }) : line);
  return EXIT.done;
}

export async function revoke(invocation: Invocation, name: string): Promise<number> {
  const { json, screen } = invocation;
  await asAdmin(invocation, (client) => client.delete("/api/users/{name}", { name }));
  const line = `${plainLine(name)}'s access has been revoked. Their runs are kept and continue.`;
  screen.line(json ? jsonLine({ revoked: name }) : line);
  return EXIT.done;
}

const asAdmin = <T>({ io, folder }: Invocation, use: (client: CadreClient) => Promise<T>): Promise<T> =>
  withClient({ folder, io, createsStore: true }, use);

function sayMade({ json, screen }: Invocation, made: CreatedUser, said: string): void {
  if (json) {
    screen.line(jsonLine(made));
    return;
  }
  screen.line(said);
  screen.line(`Token, shown only once: ${made.token}`);
  if (made.link !== undefined) screen.line(`For one browser of theirs, once: ${made.link}`);
}
