// A named user who sends a request, with their role and the runs that they see. The holder of the folder's token is not a named user.

import { CadreError } from "../../errors.ts";
import { ROLES, type Role } from "../../stores/users.ts";

export interface Person {
  name: string;
  role: Role;
  /** `own`: the user sees only their own runs. Other users' runs seem not to exist (A23). */
  sees: "own" | "all";
}

declare module "hono" {
  interface ContextVariableMap {
    /** The named user who sent the request. Undefined if the sender has the folder's token or uses this machine's socket. */
    person: Person | undefined;
  }
}

/** An admin sees all runs. Other users see what the project's settings allow. */
export const personOf = ({ name, role }: { name: string; role: Role }, shared: Person["sees"]): Person => ({
  name,
  role,
  sees: role === "admin" ? "all" : shared,
});

export const hasRole = (person: Person | undefined, needed: Role): boolean =>
  person === undefined || ROLES.indexOf(person.role) >= ROLES.indexOf(needed);

export function refuseRole(person: Person, needed: Role): never {
  throw new CadreError("FORBIDDEN", roleRefusalText(person, needed), { role: person.role, needed });
}

export const roleRefusalText = ({ name, role }: Person, needed: Role): string =>
  `This needs the role ${needed}, and ${name} is ${role === "viewer" ? "a" : "an"} ${role}. Nothing was changed.`;
