// Who asks, where it is not the holder of the folder's token: a named user, with a role and with what they may see.

import { CadreError } from "../../errors.ts";
import { ROLES, type Role } from "../../stores/users.ts";

export interface Person {
  name: string;
  role: Role;
  /** `own`: another's runs are not there for them (A23). */
  sees: "own" | "all";
}

declare module "hono" {
  interface ContextVariableMap {
    /** Absent: whoever holds the folder's token, or the socket of this machine. */
    person: Person | undefined;
  }
}

/** What a named user may see: an admin everything, the others what the project shares. */
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
