import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openInSameDatabase } from "../stores/postgres/open.ts";
import { describe, startPostgres, type TestPostgres } from "../stores/postgres/postgres.fixture.ts";
import { engineContract } from "./engine.contract.ts";
import { createPgBossEngine } from "./pg-boss.ts";

let postgres: TestPostgres;
let url: string;
beforeAll(async () => {
  postgres = await startPostgres("fsync=off");
  url = await postgres.newStore();
}, 60_000);
afterAll(() => postgres.end());

const open = (storeId: string) =>
  createPgBossEngine({
    url,
    storeId,
    pool: "default",
    concurrency: 4,
    patiently: (start, isOver) => openInSameDatabase(url, start, isOver),
    onError: () => {},
  });

describe("on a real Postgres server", () => {
  engineContract("pg-boss", async () => ({ engine: await open("s1") }));

  test("[E3] [F34] an engine that starts while the database is down waits until the database is up", async () => {
    const engine = await open("s2");
    const driven = Promise.withResolvers<string>();
    await postgres.stop();
    const started = engine.start(async (runId) => driven.resolve(runId));
    await engine.wake("r0");
    await postgres.start();
    await started;
    await engine.wake("r1");
    expect(await driven.promise).toBe("r1");
    await engine.stop();
  });

  test("[E3] an engine that failed to start leaves no connection open", async () => {
    const theirs = () =>
      postgres.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'cadre-engine'");
    const before = await open("s3");
    await before.start(async () => {});
    await before.stop();
    await postgres.query("ALTER FUNCTION cadre_pgboss.create_queue RENAME TO away");
    const engine = await open("s4");
    await expect(engine.start(async () => {})).rejects.toMatchObject({
      code: "STORAGE_UNUSABLE",
      message: expect.stringContaining("create_queue"),
    });
    await engine.stop();
    await expect.poll(theirs).toEqual([]);
    await postgres.query("ALTER FUNCTION cadre_pgboss.away RENAME TO create_queue");
  });

  test("[E3] a wake is not lost if it arrives at the moment when the last insert is answered", async () => {
    const engine = await open("s6");
    const driven: string[] = [];
    await engine.start(async (runId) => void driven.push(runId));
    const { insert } = PgBoss.prototype;
    const spied = vi.spyOn(PgBoss.prototype, "insert").mockImplementationOnce(function (
      this: PgBoss,
      ...all
    ) {
      const made = insert.apply(this, all);
      const answer = made.then((ids) => ids);
      // This wake arrives when the engine has received the answer to the insert, but the callers that await it have not continued yet.
      void made.then(() => {}).then(() => engine.wake("late"));
      return answer;
    });
    await engine.wake("first");
    await expect.poll(() => driven).toContain("late");
    spied.mockRestore();
    await engine.stop();
  });

  test("[E4] the engine uses its full concurrency, and sends wakes that are requested together in one insert", async () => {
    const engine = await open("s5");
    const begun: string[] = [];
    const under = new Map<string, () => void>();
    await engine.start(
      (runId) =>
        new Promise<void>((end) => {
          begun.push(runId);
          under.set(runId, end);
        }),
    );
    const endOne = () => {
      const [[runId, end]] = [...under] as [[string, () => void]];
      under.delete(runId);
      end();
    };
    const many = Array.from({ length: 12 }, (_, i) => `r${i}`);
    await Promise.all(many.map((runId) => engine.wake(runId)));
    const made = "SELECT DISTINCT created_on FROM cadre_pgboss.job WHERE name = 's5/default'";
    expect(await postgres.query(made)).toHaveLength(1);
    for (let ended = 0; ended <= 8; ended++) {
      await expect.poll(() => begun.length).toBe(4 + ended);
      expect(under.size).toBe(4);
      if (ended < 8) endOne();
    }
    while (under.size > 0) endOne();
    await engine.wake("later");
    await expect.poll(() => begun.at(-1)).toBe("later");
    endOne();
    await engine.stop();
    expect(begun.toSorted()).toEqual([...many, "later"].toSorted());
  });
});
