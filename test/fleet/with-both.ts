// Runs the same test with both engines in parallel, on one Postgres and one Restate. The tests mostly wait, so this saves time.

import { afterAll, beforeAll, expect, test } from "vitest";
import { describe, startRestate } from "../../src/engines/restate/restate.fixture.ts";
import { messageOf } from "../../src/errors.ts";
import { describe as onPostgres, startPostgres } from "../../src/stores/postgres/postgres.fixture.ts";
import { type Crew, type EngineName, type Ground, gather } from "./crew.ts";

export type Body = (crew: Crew, engine: EngineName, ground: Ground) => Promise<void>;

export interface Ways {
  withBoth(title: string, body: Body, timeout?: number): void;
  withOne(engine: EngineName, title: string, body: Body): void;
}

export function eitherEngine(title: string, define: (ways: Ways) => void): void {
  describe(title, () => {
    onPostgres("on Postgres", () => {
      let ground: Ground;
      beforeAll(async () => {
        const servers = [startPostgres("fsync=off", "max_connections=300"), startRestate()] as const;
        const [postgres, restate] = await Promise.all(servers);
        ground = { postgres, restate };
      });
      afterAll(() => Promise.all([ground.postgres.end(), ground.restate.end()]));

      define({
        withBoth(what, body, timeout) {
          test(
            what,
            async () => {
              const trials = (["pg-boss", "restate"] as const).map((engine) => tryWith(engine, body, ground));
              const failures = (await Promise.allSettled(trials)).filter(
                ({ status }) => status === "rejected",
              );
              expect(failures).toEqual([]);
            },
            timeout,
          );
        },
        withOne(engine, what, body) {
          test(what, () => tryWith(engine, body, ground));
        },
      });
    });
  });
}

async function tryWith(engine: EngineName, body: Body, ground: Ground): Promise<void> {
  const crew = await gather(engine, ground);
  try {
    await body(crew, engine, ground);
  } catch (cause) {
    throw new Error(`${engine}: ${messageOf(cause)}`, { cause });
  } finally {
    await crew.end();
  }
}

/** Reads a positive integer from an environment variable. Developers set such variables to make a test longer. */
export function setting(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a positive integer.`);
  return value;
}
