// Tests `cadre/testing` with tools that tell the truth about themselves, and with tools that lie.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Agent, defineAgent, defineTool, sleep, type ToolOptions } from "../index.ts";
import { createTestCadre, effectLog, killAtEveryEvent, scriptedModel } from "../testing.ts";

const DAY = 24 * 60 * 60 * 1000;

/** An agent that calls one tool for order 7, and then answers. */
function clerkWith(tool: Pick<ToolOptions<{ order: string }, unknown>, "effect" | "execute">): Agent {
  const pay = defineTool({
    ...{ name: "pay", description: "Pays an order.", input: z.object({ order: z.string() }) },
    ...tool,
  });
  return defineAgent({
    name: "clerk",
    prompt: "Pay.",
    model: scriptedModel([{ calls: [{ tool: "pay", input: { order: "7" } }] }, { text: "Paid." }]),
    tools: [pay],
  });
}

test("[27.6] tools that keep their promises survive a kill at every event, and an unsafe one asks a person", async () => {
  const report = await killAtEveryEvent(() => {
    const world = effectLog();
    return {
      task: "Pay order 7",
      agent: () => clerkWith({ execute: ({ order }, { key }) => world.add({ name: order, key }) }),
      effects: () => world.all(),
    };
  });
  expect(report).toMatchObject({ problems: [], asks: ["pay"] });
  expect(report.kills).toBeGreaterThan(8);
});

test("[27.6] the report names the tool that calls itself idempotent, but repeats its effect", async () => {
  const report = await killAtEveryEvent(() => {
    const paid: string[] = [];
    return {
      task: "Pay order 7",
      agent: () => clerkWith({ effect: "idempotent", execute: ({ order }) => void paid.push(order) }),
      effects: () => paid,
    };
  });
  expect(report.problems).toMatchObject([
    { kind: "not_idempotent", tool: "pay", killedAt: expect.stringContaining("after the effect of pay") },
  ]);
  expect(report.asks).toEqual([]);
});

test("[27.6] a tool that uses its key is really idempotent", async () => {
  const report = await killAtEveryEvent(() => {
    const paid = new Set<string>();
    return {
      task: "Pay order 7",
      agent: () => clerkWith({ effect: "idempotent", execute: (_, { key }) => void paid.add(key) }),
      effects: () => [...paid],
    };
  });
  expect(report.problems).toEqual([]);
});

test("[27.6] the report names a tool that is declared as read-only but changes something", async () => {
  const report = await killAtEveryEvent(() => {
    const looked: string[] = [];
    return {
      task: "Pay order 7",
      agent: () => clerkWith({ effect: "read", execute: ({ order }) => void looked.push(order) }),
      effects: () => looked,
    };
  });
  expect(report.problems).toMatchObject([{ kind: "changes_on_read", tool: "pay" }]);
});

test("[27.6] the report names the tool that cannot go on, because it keeps its state in memory", async () => {
  const report = await killAtEveryEvent(() => ({
    task: "Sign in and pay",
    agent() {
      let session: string | undefined;
      const input = z.object({});
      const signIn = defineTool({
        ...{ name: "sign_in", description: "Signs in.", input, effect: "idempotent", approve: false },
        execute: () => {
          session = "s1";
        },
      });
      const pay = defineTool({
        ...{ name: "pay", description: "Pays.", input, effect: "idempotent", approve: false },
        execute: () => {
          if (session === undefined) throw new Error("not signed in");
        },
      });
      return defineAgent({
        name: "clerk",
        prompt: "Pay.",
        model: scriptedModel(({ turn, lastResult = "" }) => {
          if (turn === 1) return { calls: [{ tool: "sign_in", input: {} }] };
          if (turn === 2) return { calls: [{ tool: "pay", input: {} }] };
          return lastResult.includes("not signed in")
            ? { error: { status: 400, message: "gives up" } }
            : { text: "Paid." };
        }),
        tools: [signIn, pay],
      });
    },
    effects: () => [],
  }));
  expect(report.problems).toMatchObject([
    { kind: "cannot_continue", tool: "pay", message: expect.stringContaining("not signed in") },
  ]);
});

test("[27.6] an agent that fails without any kill is refused", async () => {
  const round = {
    task: "Go",
    agent: () =>
      defineAgent({
        name: "lost",
        prompt: "Fail.",
        model: scriptedModel([{ error: { status: 400, message: "no" } }]),
      }),
    effects: () => [],
  };
  await expect(killAtEveryEvent(() => round)).rejects.toThrow("does not complete even without a kill");
});

test("[27.5] a test moves the clock, and a timer of three days fires", async () => {
  const patient = defineAgent({
    name: "patient",
    prompt: "Wait.",
    model: scriptedModel([]),
    *steps() {
      yield* sleep(3 * DAY);
      return "Awake.";
    },
  });
  await using cadre = await createTestCadre({ agents: [patient] });
  const begun = cadre.clock.now();
  const run = cadre.run(patient, "Wait");
  await expect.poll(async () => (await run.status()).waitingOn?.kind).toBe("timer");
  expect((await run.status()).startedAt.getTime()).toBe(begun);
  cadre.clock.advance(3 * DAY);
  expect((await run).text).toBe("Awake.");
  expect((await run.status()).endedAt?.getTime()).toBe(begun + 3 * DAY);
});

test("[27.5] the effect log finds an effect that happened twice, also if its first process was killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "cadre-effects-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "effects.log");
  effectLog(file).add({ name: "pay", key: "a" });
  const log = effectLog(file);
  log.add({ name: "pay", key: "b" });
  log.add({ name: "pay", key: "a", detail: "again" });
  expect(log.all()).toHaveLength(3);
  expect(log.repeated()).toEqual([{ name: "pay", key: "a", detail: "again" }]);
});
