// A run of fifty thousand events must be looked at like any other: its first lines come at once, and the page never stands
// still while the rest is read (U14).

import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Project } from "../../../src/cli/cli.fixture.ts";
import { systemClock } from "../../../src/clock.ts";
import type { EventBody } from "../../../src/journal/events.ts";
import {
  acquireRun,
  admit,
  agentThought,
  modelCallStarted,
  runEnded,
  toolProposed,
  toolResult,
  toolStarted,
} from "../../../src/stores/contract/kit.contract.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/store.ts";
import { withBrowser } from "./browser.fixture.ts";
import { serve, treeProject } from "./server.fixture.ts";

const EVENTS = 50_000;
const RUN = "r1m0000000manyevents00";
/** Generous, and of the page's own work only: what other programs take of the machine is not counted. */
const LONGEST_TASK_MS = 500;

const browser = withBrowser();

test(`[U14] [U17] ${EVENTS} events: the first lines at once, no long task, and a link goes to the last of them`, async () => {
  await using p = await treeProject();
  await fill(p);
  const { url, link } = await serve(p);
  const { page, context, problems } = await browser.open(link);
  const trace = await recordTasks(page, context);
  const from = performance.now();
  await page.goto(`${url}/r/${RUN}`);
  await page.getByText("Started: coder").waitFor();
  const firstRow = Math.round(performance.now() - from);
  const reading = page.getByText("Reading…");
  expect(await reading.isVisible()).toBe(true);
  await reading.waitFor({ state: "detached" });
  const allRead = Math.round(performance.now() - from);
  await scrollThrough(page);
  await page.getByText("It works.").first().waitFor();
  const longest = await trace.longest();
  console.info(`first line after ${firstRow} ms, all read after ${allRead} ms, longest task ${longest} ms`);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(LONGEST_TASK_MS);

  await page.goto(`${url}/r/${RUN}#49991`);
  const wanted = page.locator(`[data-event="${RUN}:49991"]`);
  await wanted.waitFor();
  expect(await wanted.getAttribute("aria-current")).toBe("true");
  expect(problems).toEqual([]);
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds in which the thread was at work. */
  tdur?: number;
  args: { name?: string };
}

/** In a process of its own, or in the one process that the browser of the tests is. */
const MAIN = /^(CrRendererMain|Chrome_InProcRendererThread)$/;

/** What the main thread of the page does in one go, by the browser's own record. */
async function recordTasks(page: Page, context: BrowserContext) {
  const running = context.browser()!;
  await running.startTracing(page, { categories: ["toplevel", "__metadata"] });
  return {
    async longest(): Promise<number> {
      const { traceEvents } = JSON.parse((await running.stopTracing()).toString()) as {
        traceEvents: TraceEvent[];
      };
      const main = new Set(
        traceEvents
          .filter(({ name, args }) => name === "thread_name" && MAIN.test(args.name ?? ""))
          .map(({ pid, tid }) => `${pid}/${tid}`),
      );
      const tasks = traceEvents.filter(({ pid, tid }) => main.has(`${pid}/${tid}`));
      return Math.round(Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1_000);
    },
  };
}

async function scrollThrough(page: Page): Promise<void> {
  await page.getByTestId("timeline").evaluate(async (list) => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let at = 0; at < 40; at++) {
      list.scrollTop = (list.scrollHeight / 40) * at;
      await nextFrame();
    }
    // What is not in sight has no height yet: the end is where it is when one is there.
    for (let at = 0; at < 10; at++) {
      list.scrollTop = list.scrollHeight;
      await nextFrame();
    }
  });
}

/** Through the store, as a driver would: turns of one call each. */
async function fill(p: Project): Promise<void> {
  // A store that Cadre has not made itself is not opened.
  await p.cadre("runs");
  const store = openSqliteStore({ path: join(p.folder, ".cadre", "cadre.db"), clock: systemClock });
  try {
    await admit(store, RUN, { workspace: p.folder });
    const driver = await acquireRun(store, RUN);
    const turns = Math.floor((EVENTS - 2) / 5);
    for (let turn = 1; turn <= turns; turn += 100) {
      const last = Math.min(turn + 99, turns);
      const events = Array.from({ length: last - turn + 1 }, (_, index) => turnOf(turn + index)).flat();
      await driver.append(events);
    }
    await driver.append([runEnded()]);
  } finally {
    await store.close();
  }
}

function turnOf(turn: number): EventBody[] {
  const [call, tool] = [`m${turn}`, `m${turn}.0`];
  const input = { command: `npm test -- part-${turn}` };
  const text = `Part ${turn} is next: I run its tests and look at what they say.`;
  return [
    modelCallStarted(call),
    agentThought(call, {
      content: [
        { type: "text", text },
        { type: "tool-call", toolCallId: "call_0", toolName: "Bash", input },
      ],
    }),
    toolProposed(tool, { verdict: "allow", rule: "project allow Bash(npm test *)" }),
    toolStarted(tool),
    toolResult(tool, `part ${turn}: 12 tests, all of them green\n${"· ".repeat(60)}`),
  ];
}
