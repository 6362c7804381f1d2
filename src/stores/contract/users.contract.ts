// Users, their keys and roles, and the runs that users own.

import { expect } from "vitest";
import {
  acquireRun,
  admit,
  agentThought,
  modelCallStarted,
  type Open,
  scenarios,
  toolProposed,
} from "./kit.contract.ts";

export function usersContract(open: Open): void {
  const scenario = scenarios(open);
  const ann = { name: "ann", role: "operator", by: "maria", key: "hash-of-ann" } as const;

  scenario("a user can sign in with a key, even after a restart", async (opened) => {
    const { clock } = opened;
    expect(await opened.store.users.add(ann)).toBe(true);
    const known = {
      name: "ann",
      role: "operator",
      madeAt: clock.now(),
      madeBy: "maria",
      rotatedAt: clock.now(),
      revokedAt: undefined,
    };
    const store = await opened.reopen();
    expect(await store.users.byKey("hash-of-ann")).toEqual(known);
    expect(await store.users.byKey("another")).toBeUndefined();
    expect(await store.users.list()).toEqual([known]);
  });

  scenario("[US1] a user name can be used only once, even after the user is revoked", async ({ store }) => {
    await store.users.add(ann);
    expect(await store.users.add({ ...ann, role: "admin", key: "other" })).toBe(false);
    expect(await store.users.byKey("other")).toBeUndefined();
    expect(await store.users.revoke("ann")).toBe(true);
    expect(await store.users.revoke("ann")).toBe(false);
    expect(await store.users.add({ ...ann, key: "other" })).toBe(false);
    expect(await store.users.list()).toMatchObject([{ name: "ann", revokedAt: expect.any(Number) }]);
    expect(await store.users.revoke("nobody")).toBe(false);
  });

  scenario(
    "[US2] [A09] after a key rotation a user has one key; a revoked user has none",
    async ({ store }) => {
      let notifications = 0;
      const end = store.users.onChange(() => notifications++);
      await store.users.add(ann);
      expect(await store.users.addKey("ann", "browser")).toBe(true);
      expect((await store.users.byKey("browser"))?.name).toBe("ann");
      expect(await store.users.rotate("ann", "next")).toBe(true);
      for (const old of ["hash-of-ann", "browser"]) expect(await store.users.byKey(old)).toBeUndefined();
      expect((await store.users.byKey("next"))?.role).toBe("operator");
      await store.users.revoke("ann");
      expect(await store.users.byKey("next")).toBeUndefined();
      expect(await store.users.addKey("ann", "late")).toBe(false);
      expect(await store.users.rotate("ann", "again")).toBe(true);
      expect((await store.users.byKey("again"))?.revokedAt).toBeUndefined();
      expect(await store.users.rotate("nobody", "k")).toBe(false);
      expect(notifications).toBeGreaterThanOrEqual(4);
      end();
    },
  );

  scenario(
    "[US2] a new role applies to a user's existing keys, and listeners are notified",
    async ({ store }) => {
      await store.users.add(ann);
      let notifications = 0;
      const end = store.users.onChange(() => notifications++);
      expect(await store.users.setRole("ann", "viewer")).toBe(true);
      expect(notifications).toBeGreaterThanOrEqual(1);
      expect((await store.users.byKey("hash-of-ann"))?.role).toBe("viewer");
      expect(await store.users.setRole("nobody", "admin")).toBe(false);
      await store.users.revoke("ann");
      expect(await store.users.setRole("ann", "admin")).toBe(false);
      end();
    },
  );

  scenario(
    "when a user signs in with too many browsers, the oldest browser is signed out",
    async ({ store }) => {
      await store.users.add(ann);
      for (let n = 1; n <= 21; n++) await store.users.addKey("ann", `browser ${n}`);
      expect(await store.users.byKey("browser 1")).toBeUndefined();
      expect(await store.users.byKey("browser 2")).toBeDefined();
      expect(await store.users.byKey("hash-of-ann")).toBeDefined();
    },
  );

  scenario("[A23] every list of a store can be limited to the runs of one user", async ({ store }) => {
    await admit(store, "r1", { userId: "ann", sessionId: "s1", definition: await store.blobs.put("ann's") });
    await admit(store, "r2", { userId: "bob", sessionId: "s2", definition: await store.blobs.put("bob's") });
    await admit(store, "r3");
    for (const runId of ["r1", "r2", "r3"]) {
      const driver = await acquireRun(store, runId);
      await driver.append([modelCallStarted("m1")]);
      await driver.append([agentThought("m1"), toolProposed("m1.0")]);
    }
    const user = "bob";
    expect((await store.runs.list({ user })).runs.map(({ id }) => id)).toEqual(["r2"]);
    expect(await store.runs.count({ user })).toBe(1);
    expect((await store.runs.list({ user, q: "mend" })).runs.map(({ id }) => id)).toEqual(["r2"]);
    expect((await store.runs.sessions({ user })).sessions.map(({ id }) => id)).toEqual(["s2"]);
    expect(new Set((await store.journal.readAll(0, 100, { user })).map(({ runId }) => runId))).toEqual(
      new Set(["r2"]),
    );
    expect((await store.inbox.openItems({ user })).map(({ runId }) => runId)).toEqual(["r2"]);
    expect((await store.usage.messages({ user })).messages).toMatchObject([{ session_id: "s2" }]);
    const { definition } = (await store.runs.get("r2"))!;
    expect(await store.blobs.get(definition, { user })).toBe("bob's");
    expect(await store.blobs.get(definition, { user: "ann" })).toBeUndefined();
  });
}
