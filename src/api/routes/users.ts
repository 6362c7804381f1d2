// Named users: who one is oneself, and for admins who may come in. A token is shown by the answer that made it, and never again.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { User } from "../../stores/users.ts";
import { hashKey, newKey } from "../access/user-connections.ts";
import type { ApiParts } from "../parts.ts";
import { requireBrowserAccess } from "./browser-access.ts";
import { route } from "./route.ts";
import { LinkView, Nothing } from "./schemas.ts";

export const RoleView = z.enum(["viewer", "operator", "admin"]);
export type RoleView = z.infer<typeof RoleView>;

export const Me = z.object({ name: z.string(), role: RoleView, sees: z.enum(["own", "all"]) });
export type Me = z.infer<typeof Me>;

/** Small letters alone: no two names look alike. */
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
  /** When the token was made that counts now. */
  rotatedAt: z.number(),
  /** Comes in no more. */
  revokedAt: z.number().optional(),
});
export type UserView = z.infer<typeof UserView>;

export const UserList = z.object({ users: z.array(UserView) });

export const CreatedUser = z.object({
  name: z.string(),
  /** Shown this once. */
  token: z.string(),
  /** For one browser of theirs, once; absent: no web page is served here. */
  link: z.string().optional(),
});
export type CreatedUser = z.infer<typeof CreatedUser>;

export function userRoutes(parts: ApiParts) {
  const { person, who } = parts;
  return [
    route({ method: "get", path: "/api/me", summary: "Who one is here", answer: Me }, (_, c) => {
      return person ?? ({ name: who(c.req.raw), role: "admin", sees: "all" } as const);
    }),
    route(
      {
        method: "get",
        path: "/api/users",
        summary: "Named users, those who were revoked among them",
        answer: UserList,
        role: "admin",
      },
      async () => ({ users: (await parts.store.users.list()).map(viewOf) }),
    ),
    route(
      {
        method: "post",
        path: "/api/users",
        summary: "Let somebody in; the token is shown once",
        body: NewUser,
        answer: CreatedUser,
        status: 201,
        role: "admin",
      },
      ({ body }, c) => add(parts, body, who(c.req.raw)),
    ),
    ...nameRoutes(parts),
  ];
}

function nameRoutes({ store, web }: ApiParts) {
  return [
    route(
      {
        method: "post",
        path: "/api/users/{name}/rotate",
        summary: "A new token for a user; what the old one opened is closed",
        answer: CreatedUser,
        status: 201,
        role: "admin",
      },
      async ({ params: { name } }) => {
        const token = newKey();
        if (!(await store.users.rotate(name, hashKey(token)))) throw notThere(name);
        return { name, token, ...linkFor(web, name) };
      },
    ),
    route(
      {
        method: "post",
        path: "/api/users/{name}/role",
        summary: "Another role for a user; what is open is closed, and the token stays",
        body: NewRole,
        answer: Nothing,
        role: "admin",
      },
      async ({ params: { name }, body: { role } }) => {
        if (!(await store.users.setRole(name, role))) throw notThere(name);
        return {};
      },
    ),
    route(
      {
        method: "post",
        path: "/api/users/{name}/link",
        summary: "A one-time link for a browser of a user",
        answer: LinkView,
        status: 201,
        role: "admin",
      },
      async ({ params: { name } }) => {
        const known = (await store.users.list()).find(
          (user) => user.name === name && user.revokedAt === undefined,
        );
        if (!known) throw notThere(name);
        return requireBrowserAccess({ web }).newLink(name);
      },
    ),
    route(
      {
        method: "delete",
        path: "/api/users/{name}",
        summary: "Let a user in no more; what is open is closed",
        answer: Nothing,
        role: "admin",
      },
      async ({ params: { name } }) => {
        if (!(await store.users.revoke(name))) throw notThere(name);
        return {};
      },
    ),
  ];
}

async function add({ store, web }: ApiParts, { name, role }: NewUser, by: string): Promise<CreatedUser> {
  const token = newKey();
  const taken = (await store.users.list()).some((user) => user.name === name);
  // Whoever has that name on this machine has runs under it already: they would become this user's.
  if (!taken && (await store.runs.count({ user: name })) > 0)
    throw new CadreError("CONFLICT", `There are runs of somebody called ${name} here: choose another name.`);
  if (taken || !(await store.users.add({ name, role, by, key: hashKey(token) })))
    throw new CadreError(
      "CONFLICT",
      `There is, or was, a user ${name}, whose runs are theirs. Nothing was changed: for the same person use \`cadre users rotate ${name}\` or \`cadre users role ${name} ${role}\`, for another one another name.`,
    );
  return { name, token, ...linkFor(web, name) };
}

/** Where a browser can be let in. */
const linkFor = ({ served }: ApiParts["web"], name: string): Pick<CreatedUser, "link"> =>
  served ? { link: served.newLink(name).url } : {};

const notThere = (name: string): CadreError =>
  new CadreError(
    "NOT_FOUND",
    `There is no user ${name}: \`cadre users\` lists those that there are. Nothing was changed.`,
  );

const viewOf = ({ revokedAt, ...user }: User): UserView => ({
  ...user,
  ...(revokedAt === undefined ? {} : { revokedAt }),
});
