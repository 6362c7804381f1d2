// Limits an agent that manages other runs to what its user is allowed to see and do (US3, US4).
// The user's record is read on each call, so that revoked access ends immediately.

import { hasRole, type Person, personOf, roleRefusalText } from "../api/access/person.ts";
import { userStore } from "../api/access/user-store.ts";
import type { LoopParts } from "../loop/parts.ts";
import type { Store } from "../stores/store.ts";

/** `shared` says which runs a named non-admin user sees. Any other user id means the holder of the token, who is allowed to do everything. */
export function actingFor(store: Store, shared: Person["sees"]): LoopParts["actingFor"] {
  return async (userId) => {
    const user = userId === undefined ? undefined : await findUser(store, userId);
    if (!user) return { store };
    const own = userStore(store, user.name);
    if (user.revokedAt !== undefined)
      return { store: own, refusal: `${user.name}'s access has been revoked. Nothing was changed.` };
    const person = personOf(user, shared);
    const seen = person.sees === "all" ? store : own;
    return hasRole(person, "operator")
      ? { store: seen }
      : { store: seen, refusal: roleRefusalText(person, "operator") };
  };
}

const findUser = async ({ users }: Store, name: string) =>
  (await users.list()).find((user) => user.name === name);
