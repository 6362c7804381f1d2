// What the API is given, as one named user may use it: who acts is them, what they see is theirs, and what their role does
// not allow is refused where it would be written, whichever route it comes by.

import { CadreError, runNotFound } from "../../errors.ts";
import { overrideStore } from "../../stores/override-store.ts";
import type { Store } from "../../stores/store.ts";
import type { ApiParts } from "../parts.ts";
import { hasRole, type Person, refuseRole } from "./person.ts";
import { userStore } from "./user-store.ts";

export function partsForUser(parts: ApiParts, person: Person): ApiParts {
  const { name, sees } = person;
  const seen = sees === "own" ? userStore(parts.store, name) : parts.store;
  const store = hasRole(person, "admin") ? seen : withoutStanding(seen, person);
  /** A key is its sender's: another's run is no answer to it. */
  const ownKey = (key: string | undefined): string | undefined =>
    key === undefined ? undefined : `${name} ${key}`;
  return {
    ...parts,
    person,
    store,
    people: instead(parts.people, "store", store),
    who: () => name,
    onDelta: sees === "own" ? ownDeltas(parts, name) : parts.onDelta,
    async admit(request, key) {
      if (request.sessionId !== undefined) await refuseForeign(parts, person, request.sessionId);
      return parts.admit({ ...request, userId: name }, ownKey(key));
    },
    async retry(runId, key) {
      if (!(await store.runs.get(runId))) throw runNotFound(runId);
      return parts.retry(runId, ownKey(key), name);
    },
    async fork(runId, request, key) {
      if (!(await store.runs.get(runId))) throw runNotFound(runId);
      return parts.fork(runId, request, ownKey(key), name);
    },
    async say(message, key) {
      const userId = (await refuseForeign(parts, person, message.sessionId)) ?? name;
      return parts.say({ ...message, from: name, userId }, ownKey(key));
    },
  };
}

/** Whoever holds the token may do everything; what they start in another's session is still that person's. */
export const partsForTokenHolder = (parts: ApiParts): ApiParts => ({
  ...parts,
  async say(message, key) {
    const [last] = (await parts.store.runs.list({ session: message.sessionId, limit: 1 })).runs;
    return parts.say(last?.userId === undefined ? message : { ...message, userId: last.userId }, key);
  },
});

/** What counts for everybody from then on is an admin's to allow. */
function withoutStanding(store: Store, person: Person): Store {
  return overrideStore(store, {
    journal: {
      async append(append) {
        const stands = append.events.some(
          ({ type, payload }) => type === "APPROVAL_DECIDED" && payload.scope === "always",
        );
        if (stands) refuseRole(person, "admin");
        return store.journal.append(append);
      },
    },
  });
}

/** The same but for one part: what it computes when asked is still computed then. */
const instead = <T extends object, K extends keyof T>(whole: T, name: K, value: T[K]): T =>
  Object.create(whole, { [name]: { value, enumerable: true } }) as T;

/** Whose session it is; undefined: it is new. */
async function refuseForeign(
  { store }: ApiParts,
  { name, sees }: Person,
  sessionId: string,
): Promise<string | undefined> {
  const [last] = (await store.runs.list({ session: sessionId, limit: 1 })).runs;
  if (last && sees === "own" && last.userId !== name)
    throw new CadreError("NOT_FOUND", `There is no session ${sessionId}.`);
  return last?.userId;
}

/** Deltas may be left out: those of a run that is not known yet are. */
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
