// Shows the caller's name and role, and lets admins manage named users. A token is shown only once, in the answer that creates it.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { User } from "../../stores/users.ts";
import { hashKey, newKey } from "../access/keys.ts";
import type { ApiParts } from "../parts.ts";
import { requireBrowserAccess } from "./browser-access.ts";
import { route } from "./route.ts";
import { LinkView } from "./schemas.ts";

export const RoleView = z.enum(["viewer", "operator", "admin"]);
export type RoleView = z.infer<typeof RoleView>;

export const Me = z.object({ name: z.string(), role: RoleView, sees: z.enum(["own", "all"]) });

/** A name contains no capital letters, so that two names never differ only in upper and lower case. */
export const NewUser = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,39}$/,
      "must be up to 40 small letters, digits, dots, hyphens or underscores",
    ),
  role: RoleView,
});
export type NewUser = z.infer<typeof NewUser>;

export const NewRole = z.strictObject({ role: RoleView });

export const UserView = z.object({
  name: z.string(),
  role: RoleView,
  madeAt: z.number(),
  madeBy: z.string(),
  /** Time when the current token was created. */
  rotatedAt: z.number(),
  revokedAt: z.number().optional(),
});
export type UserView = z.infer<typeof UserView>;

export const UserList = z.object({ users: z.array(UserView) });

export const CreatedUser = z.object({
  name: z.string(),
  /** The token is never shown again. */
  token: z.string(),
  /** A one-time link that signs in one browser. Absent if this process serves no web page. */
  link: z.string().optional(),
});
export type CreatedUser = z.infer<typeof CreatedUser>;

export function userRoutes(parts: ApiParts) {
  const { person, who, store, web } = parts;
  return [
    route.get("/api/me", { summary: "The caller's name and role", answer: Me }, (_, c) => {
      return person ?? ({ name: who(c.req.raw), role: "admin", sees: "all" } as const);
    }),
    route.get(
      "/api/users",
      { summary: "Named users, including revoked ones", answer: UserList, role: "admin" },
      async () => ({ users: (await store.users.list()).map(viewOf) }),
    ),
    route.post(
      "/api/users",
      {
        summary: "Add a user; the token is shown once",
        body: NewUser,
        answer: CreatedUser,
        status: 201,
        role: "admin",
      },
      ({ body }, c) => addUser(parts, body, who(c.req.raw)),
    ),
    route.post(
      "/api/users/{name}/rotate",
      {
        summary: "Create a new token for a user; sessions of the old one are closed",
        answer: CreatedUser,
        status: 201,
        role: "admin",
      },
      async ({ params: { name } }) => {
        const token = newKey();
        if (!(await store.users.rotate(name, hashKey(token)))) throw userNotFound(name);
        return { name, token, ...linkFor(web, name) };
      },
    ),
    route.post(
      "/api/users/{name}/role",
      {
        summary: "Change a user's role; open sessions are closed, the token stays",
        body: NewRole,
        role: "admin",
      },
      async ({ params: { name }, body: { role } }) => {
        if (!(await store.users.setRole(name, role))) throw userNotFound(name);
      },
    ),
    route.post(
      "/api/users/{name}/link",
      {
        summary: "Create a one-time link that signs in a browser of a user",
        answer: LinkView,
        status: 201,
        role: "admin",
      },
      async ({ params: { name } }) => {
        const known = (await store.users.list()).find(
          (user) => user.name === name && user.revokedAt === undefined,
        );
        if (!known) throw userNotFound(name);
        return requireBrowserAccess({ web }).newLink(name);
      },
    ),
    route.delete(
      "/api/users/{name}",
      { summary: "Revoke a user's access; open sessions are closed", role: "admin" },
      async ({ params: { name } }) => {
        if (!(await store.users.revoke(name))) throw userNotFound(name);
      },
    ),
  ];
}

async function addUser({ store, web }: ApiParts, { name, role }: NewUser, by: string): Promise<CreatedUser> {
  const token = newKey();
  const isTaken = (await store.users.list()).some((user) => user.name === name);
  // Runs that no named user started carry the login name of this machine's user. A new user with that name would own those runs.
  if (!isTaken && (await store.runs.count({ user: name })) > 0)
    throw new CadreError("CONFLICT", `There are runs of another ${name} here: choose another name.`);
  if (isTaken || !(await store.users.add({ name, role, by, key: hashKey(token) })))
    throw new CadreError(
      "CONFLICT",
      `There is, or was, a user ${name}, who keeps their runs. Nothing was changed: for the same person use \`cadre users rotate ${name}\` or \`cadre users role ${name} ${role}\`, for someone else choose another name.`,
    );
  return { name, token, ...linkFor(web, name) };
}

/** Makes a sign-in link if this process serves a web page. */
const linkFor = ({ served }: ApiParts["web"], name: string): Pick<CreatedUser, "link"> =>
  served ? { link: served.newLink(name).url } : {};

const userNotFound = (name: string): CadreError =>
  new CadreError(
    "NOT_FOUND",
    `There is no user ${name}: \`cadre users\` lists all users. Nothing was changed.`,
  );

const viewOf = ({ revokedAt, ...user }: User): UserView => ({
  ...user,
  ...omitUndefined({ revokedAt }),
});
