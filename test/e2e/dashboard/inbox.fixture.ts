// Opens the inbox in a real browser. Some runs have open requests.

import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { CadreClient } from "../../../src/api/client/client.ts";
import type { Project } from "../../../src/cli/cli.fixture.ts";
import type { PageOptions, withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, type TestServer } from "./server.fixture.ts";

export const SOON = { timeout: 15_000 };

/** `tasks` maps each task to the agent that performs it. */
export async function openInbox(
  browser: ReturnType<typeof withBrowser>,
  p: Project,
  tasks: Record<string, string>,
  { server: given, ...options }: PageOptions & { server?: TestServer } = {},
) {
  const server = given ?? (await serve(p));
  const client = clientOf(server, p);
  const runIds: string[] = [];
  for (const [task, name] of Object.entries(tasks))
    runIds.push((await client.post("/api/runs", { body: { agent: name, task, attended: true } })).runId);
  const { page, problems } = await browser.enter(server.link, options);
  page.setDefaultTimeout(15_000);
  await page.goto(`${server.url}/inbox`);
  return { server, client, page, problems, runIds };
}

export const rows = (page: Page) => page.getByRole("list", { name: "Waiting for you" }).getByRole("link");
export const expectRows = (page: Page, count: number) =>
  expect.poll(() => rows(page).count(), SOON).toBe(count);
export const openRow = async (page: Page, row: RegExp) => {
  await rows(page).filter({ hasText: row }).first().click();
  await page.getByRole("article").waitFor();
};

/** Waits until the run ends, and returns its summary. */
export async function summaryOf(client: CadreClient, runId: string): Promise<string> {
  const signal = AbortSignal.timeout(30_000);
  for await (const _ of client.follow({ runId, signal })) {
    // Nothing to do here: the loop ends when the run ends.
  }
  return (await client.get("/api/runs/{id}", { id: runId })).summary ?? "";
}
