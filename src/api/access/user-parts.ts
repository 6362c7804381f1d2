// The parts of the API for one named user. The user acts under their own name and sees only the runs they are allowed to see.
// On every route, the store itself rejects grants that the user's role does not allow.

import { CadreError, runNotFound } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { overrideStore } from "../../stores/override-store.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { hasRole, type Person, refuseRole } from "./person.ts";
import { userStore } from "./user-store.ts";

export function partsForUser(parts: ApiParts, person: Person): ApiParts {
  const { name, sees } = person;
  const seen = sees === "own" ? userStore(parts.store, name) : parts.store;
  const isAdmin = hasRole(person, "admin");
  const store = isAdmin ? seen : withoutAdminDecisions(seen, person);
  /** Idempotency keys are separate for each user: the same key never returns another user's run. */
  const ownKey = (key: string | undefined): string | undefined =>
    key === undefined ? undefined : `${name} ${key}`;
  return {
    ...parts,
    person,
    store,
    people: override(parts.people, "store", store),
    who: () => name,
    onDelta: sees === "own" ? ownDeltas(parts, name) : parts.onDelta,
    async admit(request, key) {
      if (request.sessionId !== undefined) await sessionUser(parts, person, request.sessionId);
      const { permissions } = request;
      const rules =
        permissions && !isAdmin ? { ...permissions, sparesProtected: true as const } : permissions;
      return parts.admit({ ...request, ...omitUndefined({ permissions: rules }), userId: name }, ownKey(key));
    },
    async retry(runId, key) {
      if (!(await store.runs.get(runId))) throw runNotFound(runId);
      return parts.retry(runId, ownKey(key), name);
    },
    async fork(runId, request, key) {
      if (!(await store.runs.get(runId))) throw runNotFound(runId);
      const programs = isAdmin ? undefined : "refused";
      return parts.fork(runId, request, ownKey(key), name, programs);
    },
    async say(message, key) {
      const userId = (await sessionUser(parts, person, message.sessionId)) ?? name;
      return parts.say({ ...message, from: name, userId }, ownKey(key));
    },
  };
}

/** The holder of the token is allowed to do everything. A run that the holder starts in a user's session belongs to that user. */
export const partsForTokenHolder = (parts: ApiParts): ApiParts => ({
  ...parts,
  async say(message, key) {
    const [last] = (await parts.store.runs.list({ session: message.sessionId, limit: 1 })).runs;
    return parts.say(last?.userId === undefined ? message : { ...message, userId: last.userId }, key);
  },
});

/** Allows only admins to grant permissions that last beyond the run, and to approve calls on protected files (A81). */
function withoutAdminDecisions(store: Store, person: Person): Store {
  return overrideStore(store, {
    journal: {
      async append(append) {
        const needsAdmin = append.events.some(
          ({ type, payload }) =>
            type === "APPROVAL_DECIDED" && (payload.scope === "always" || payload.protected !== undefined),
        );
        if (needsAdmin) refuseRole(person, "admin");
        return store.journal.append(append);
      },
    },
  });
}

/** Copies an object and replaces one member. The other members keep their getters. */
const override = <T extends object, K extends keyof T>(whole: T, name: K, value: T[K]): T =>
  Object.create(whole, { [name]: { value, enumerable: true } }) as T;

/** Returns the user who owns a session, or undefined if the session is new. Throws if `person` is not allowed to see the session. */
async function sessionUser(
  { store }: ApiParts,
  { name, sees }: Person,
  sessionId: string,
): Promise<string | undefined> {
  const [last] = (await store.runs.list({ session: sessionId, limit: 1 })).runs;
  if (last && sees === "own" && last.userId !== name)
    throw new CadreError("NOT_FOUND", `There is no session ${sessionId}.`);
  return last?.userId;
}

/** Passes on the streamed text of the user's own runs. Drops text of runs whose owner is not known yet, because the journal has it too. */
function ownDeltas({ store, onDelta }: ApiParts, user: string): ApiParts["onDelta"] {
  return (listener) => {
    const own = new Map<string, boolean>();
    return onDelta((delta) => {
      const isOwn = own.get(delta.runId);
      if (isOwn) listener(delta);
      if (isOwn !== undefined) return;
      own.set(delta.runId, false);
      void store.runs.get(delta.runId).then(
        (row) => own.set(delta.runId, row?.userId === user),
        () => own.delete(delta.runId),
      );
    });
  };
}
