// Whoever a run works for, as they stand when an agent of theirs looks after other runs: another's are not there for it either,
// and what their role does not allow it may not do (US3, US4). Read anew each time, so that a revocation counts at once.

import { hasRole, type Person, personOf, roleRefusalText } from "../api/access/person.ts";
import { userStore } from "../api/access/user-store.ts";
import type { LoopParts } from "../loop/parts.ts";
import type { Store } from "../stores/store.ts";

/** `shared`: what named users see who are no admins. A name that was never let in is the token holder's. */
export function actingFor(store: Store, shared: Person["sees"]): LoopParts["actingFor"] {
  return async (userId) => {
    const user = userId === undefined ? undefined : await named(store, userId);
    if (!user) return { store };
    const own = userStore(store, user.name);
    if (user.revokedAt !== undefined)
      return { store: own, refusal: `${user.name} comes in no more. Nothing was changed.` };
    const person = personOf(user, shared);
    const seen = person.sees === "all" ? store : own;
    return hasRole(person, "operator")
      ? { store: seen }
      : { store: seen, refusal: roleRefusalText(person, "operator") };
  };
}

const named = async ({ users }: Store, name: string) =>
  (await users.list()).find((user) => user.name === name);
