// U14: a run with fifty thousand events opens as fast as a small run.
// The first rows appear immediately, and the page stays responsive while it loads the other events.

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
/** Measures only the page's own CPU time, so that a busy machine does not make the test fail. */
const LONGEST_TASK_MS = 500;

const browser = withBrowser();

test(`[U14] [U17] a run with ${EVENTS} events shows its first rows immediately and never blocks the page; a link opens the last event`, async () => {
  await using p = await treeProject();
  await fill(p);
  const { url, link } = await serve(p);
  const { page, context, problems } = await browser.open(link);
  const trace = await recordTasks(page, context);
  const from = performance.now();
  await page.goto(`${url}/r/${RUN}`);
  await page.getByText("Started: coder").waitFor();
  const firstRow = Math.round(performance.now() - from);
  const loading = page.getByText(/^Loading… \d/);
  expect(await loading.isVisible()).toBe(true);
  await loading.waitFor({ state: "detached" });
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
  /** CPU time of the thread in microseconds. */
  tdur?: number;
  args: { name?: string };
}

/** Names of the page's main thread. The renderer runs either in its own process or in the browser's process. */
const MAIN = /^(CrRendererMain|Chrome_InProcRendererThread)$/;

/** The longest task of the page's main thread, from the browser's trace. */
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
    // A row gets its height only when it is rendered, so the end of the list moves while the test scrolls to it.
    for (let at = 0; at < 10; at++) {
      list.scrollTop = list.scrollHeight;
      await nextFrame();
    }
  });
}

/** Writes the run directly to the store, in the same form as the runtime. Each turn has one tool call. */
async function fill(p: Project): Promise<void> {
  // Cadre creates the store first, because it does not open a store that another program made.
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
