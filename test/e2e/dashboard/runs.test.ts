// The list of runs in a real browser, with a real server.

import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessibilityProblems } from "./accessibility.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";
import { runsProject, serveRuns, untilEnded } from "./runs-server.fixture.ts";

const browser = withBrowser();

const PATIENT = { timeout: 15_000 };

const rows = (page: Page) => page.getByTestId("runs").locator("[data-run]");
const shownIds = (page: Page): Promise<string[]> =>
  rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset["run"]!));

test("[U46] [U01] the empty list explains how to start a run; a started run shows what it waits for", async () => {
  await using p = await runsProject();
  const { url, link } = await serveRuns(p);
  const { page, problems } = await browser.open(link);
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  await page.getByText(`-C ${p.folder} run "`).waitFor();
  await page.getByRole("main").getByRole("button", { name: "Start a run" }).last().click();
  const form = page.getByRole("dialog", { name: "Start a run" });
  await form.getByLabel("Agent").selectOption("lead");
  await form.getByRole("button", { name: "Start", exact: true }).click();
  await form.getByText("Describe the task.").waitFor();
  await form.getByLabel("Task", { exact: true }).fill("Mend the parser and the printer");
  await form.getByText("Limits (optional)").click();
  await form.getByLabel("Cost of the whole tree").fill("lots");
  await form.getByText("Enter the cost as an amount").waitFor();
  await form.getByLabel("Cost of the whole tree").fill("2.50");
  await form.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/\/r\/r\w+$/);
  await page.goto(`${url}/`);
  const row = rows(page).first();
  await row.getByText("you: 2 below: editor").filter({ visible: true }).waitFor();
  await row.getByText("needs you").filter({ visible: true }).waitFor();
  expect(await row.getByTitle("4 runs below it").textContent()).toContain("4");
  await page.getByLabel("Include child runs").check();
  await page.waitForURL(/all=true/);
  await expect.poll(() => rows(page).count(), PATIENT).toBe(5);
  await rows(page).getByText("you: in editor").first().waitFor({ state: "attached" });
  expect(problems).toEqual([]);
});

test("[U05] rows do not move under the pointer; the list only shows the number of new runs until the user asks to see them", async () => {
  await using p = await runsProject();
  const { link, start, client } = await serveRuns(p);
  for (const task of ["one", "two", "three"]) await untilEnded(client, await start("quick", task));
  const { page, problems } = await browser.open(link);
  await expect.poll(() => rows(page).count(), PATIENT).toBe(3);
  const before = await shownIds(page);
  await rows(page).nth(1).hover();
  const slow = await start("slow", "four");
  await start("quick", "five");
  await page.getByRole("button", { name: "2 new" }).waitFor();
  expect(await shownIds(page)).toEqual(before);
  await page.getByRole("button", { name: "2 new" }).click();
  await expect.poll(() => rows(page).count(), PATIENT).toBe(5);
  expect((await shownIds(page)).slice(2)).toEqual(before);
  // The row under the pointer updates without moving.
  await rows(page).nth(2).hover();
  await client.post("/api/runs/{id}/cancel", { id: slow });
  await page.locator(`[data-run="${slow}"]`).getByText("cancelled").filter({ visible: true }).waitFor();
  expect((await shownIds(page)).indexOf(slow)).toBe(1);
  // When the pointer is elsewhere, new rows appear automatically.
  await page.getByRole("heading", { level: 1 }).hover();
  await start("quick", "six");
  await expect.poll(() => rows(page).count(), PATIENT).toBe(6);
  expect(problems).toEqual([]);
});

test("[U02] [U03] [U04] the URL contains the filters, a button copies the filters as a CLI command, and a search result opens its event", async () => {
  await using p = await runsProject();
  const { url, link, start, startTree, client } = await serveRuns(p);
  await untilEnded(client, await start("quick", "violet"));
  const failed = await start("quick", "please fail");
  await untilEnded(client, failed);
  const tree = await startTree();
  const { page, context, problems } = await browser.open(link);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const views = page.getByRole("navigation", { name: "Saved views" });
  await views.getByRole("link", { name: "Needs me 1" }).click();
  await page.waitForURL(/waiting=person/);
  await expect.poll(() => shownIds(page), PATIENT).toEqual([tree]);
  await views.getByRole("link", { name: "Failed today 1" }).click();
  await expect.poll(() => shownIds(page), PATIENT).toEqual([failed]);
  await page.reload();
  await expect.poll(() => shownIds(page), PATIENT).toEqual([failed]);
  await page.getByRole("button", { name: "Copy as one command" }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toMatch(/ runs --status failed --since today$/);
  // The command also works in a terminal whose current folder is not the project.
  const shell = await promisify(execFile)("sh", ["-c", `${command} --json`], { cwd: tmpdir(), env: p.env });
  expect(JSON.parse(shell.stdout)).toMatchObject([{ id: failed }]);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("violet answer");
  await page.waitForURL(/q=violet/);
  await rows(page)
    .getByTestId("excerpt")
    .getByText("The violet", { exact: false })
    .waitFor()
    .catch(() => undefined);
  await rows(page).getByTestId("excerpt").first().waitFor();
  await rows(page).getByRole("link").click();
  await page.waitForURL(/\/r\/r\w+#\d+$/);
  await page.goBack();
  await page.waitForURL(/q=violet/);
  await page.goto(`${url}/?status=completed,failed&agent=editor`);
  await page.getByText("No matching runs").waitFor();
  await page.getByRole("button", { name: "Include child runs" }).click();
  await page.waitForURL(/all=true/);
  expect(problems).toEqual([]);
});

test("[U06] [U30] a user selects runs with the keyboard; the dialog says how many runs and approvals a cancellation affects", async () => {
  await using p = await runsProject();
  const { link, start, startTree, client } = await serveRuns(p);
  const failed = await start("quick", "please fail");
  await untilEnded(client, failed);
  const slow = await start("slow", "think");
  const tree = await startTree();
  const { page, problems } = await browser.open(link);
  await expect.poll(() => shownIds(page), PATIENT).toEqual([tree, slow, failed]);
  const isFocused = (id: string) =>
    page.waitForFunction((run) => document.activeElement?.closest(`[data-run="${run}"]`), id);
  for (const id of [tree, slow]) {
    await page.keyboard.press("j");
    await isFocused(id);
    await page.keyboard.press("x");
  }
  await page.keyboard.press("k");
  await isFocused(tree);
  await page.getByText("2 runs selected").waitFor();
  await page.getByRole("button", { name: "Cancel…" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel these runs?" });
  await dialog.getByText("2 runs will end, and 4 below them.").waitFor();
  await dialog.getByText("2 open approvals will be withdrawn.").waitFor();
  await dialog.getByLabel(/^Reason/).fill("not today");
  await dialog.getByRole("button", { name: "Cancel 2 runs" }).click();
  await dialog.waitFor({ state: "detached" });
  await Promise.all([untilEnded(client, tree), untilEnded(client, slow)]);
  expect((await client.get("/api/approvals")).approvals).toEqual([]);
  expect((await client.events(slow)).find(({ type }) => type === "CANCEL_REQUESTED")?.payload).toMatchObject({
    reason: "not today",
  });
  await page.getByRole("checkbox", { name: "Select please fail" }).check();
  await page.getByRole("button", { name: "Retry…" }).click();
  await page.getByRole("button", { name: "Retry 1 run" }).click();
  await page.getByRole("button", { name: "1 new" }).click();
  await expect.poll(() => rows(page).count(), PATIENT).toBe(4);
  await rows(page).first().getByText("please fail").waitFor();
  expect(problems).toEqual([]);
});

test("[29.18] columns sort and hide; a list is saved as a view; search hits are ranked and show their passage", async () => {
  await using p = await runsProject();
  const { url, link, start, client } = await serveRuns(p);
  const ids: Record<string, string> = {};
  for (const [agentName, task] of [
    ["quick", "amber please fail"],
    ["quick", "violet"],
    ["lead", "Say amber to the parser"],
  ] as const) {
    ids[task] = await start(agentName, task);
    if (agentName === "quick") await untilEnded(client, ids[task]);
  }
  const [failed, violet, lead] = Object.values(ids);
  const { page, problems } = await browser.open(link);
  await expect.poll(() => shownIds(page), PATIENT).toEqual([lead, violet, failed]);
  const head = (name: string) => page.getByRole("columnheader", { name });
  expect(await head("Started").getAttribute("aria-sort")).toBe("descending");
  await head("Agent").getByRole("button").click();
  await expect.poll(() => shownIds(page), PATIENT).toEqual([lead, violet, failed]);
  expect(await head("Agent").getAttribute("aria-sort")).toBe("ascending");
  await head("Agent").getByRole("button").click();
  await expect.poll(() => shownIds(page), PATIENT).toEqual([violet, failed, lead]);
  await page.getByRole("heading", { level: 1 }).hover();

  await page.getByRole("button", { name: "Choose columns" }).click();
  await page.getByRole("checkbox", { name: "Waiting for" }).click();
  await page.getByRole("checkbox", { name: "Person" }).click();
  await page.keyboard.press("Escape");
  await head("Waiting for").waitFor({ state: "detached" });
  await head("Person").waitFor();

  await page.getByLabel("Status").selectOption("failed");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByLabel("Name of the view").fill("Broken by agent");
  await page.keyboard.press("Enter");
  const saved = page.getByRole("link", { name: "Broken by agent" });
  await saved.waitFor();
  await page.goto(url);
  await head("Person").waitFor();
  await saved.click();
  await page.waitForURL(/status=.*failed.*sort=agent|sort=agent.*status=.*failed/);
  await expect.poll(() => shownIds(page), PATIENT).toEqual([failed]);
  await page.getByRole("button", { name: "Delete the view Broken by agent" }).click();
  await saved.waitFor({ state: "detached" });

  // The child runs' tasks and texts contain the word, too. The runs whose task begins with it come first.
  await page.goto(`${url}/?q=amber+fail`);
  await expect.poll(async () => (await shownIds(page))[0], PATIENT).toBe(failed);
  const first = rows(page).first().getByTestId("excerpt");
  expect(await first.innerText()).toMatch(/^Task: .*amber please fail/);
  expect(await first.locator("mark").allInnerTexts()).toEqual(["amber", "fail"]);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test("[29.18] [29.16] a user exports two selected runs and compares them; the dialogs say the cost; equal steps are folded", async () => {
  await using p = await runsProject();
  const { link, start, client } = await serveRuns(p);
  const older = await start("quick", "violet");
  await untilEnded(client, older);
  const newer = await start("quick", "please fail");
  await untilEnded(client, newer);
  const { page, problems } = await browser.open(link);
  for (const task of ["violet", "please fail"])
    await page.getByRole("checkbox", { name: `Select ${task}` }).check();
  await page.getByRole("button", { name: "Retry…" }).click();
  await page
    .getByText(/The old runs: it has cost .* tokens\)\. The new ones can cost as much again\./)
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Export…" }).click();
  const dialog = page.getByRole("dialog", { name: "Export these runs?" });
  await dialog.getByText(/Together they have cost/).waitFor();
  const files: Download[] = [];
  page.on("download", (file) => files.push(file));
  await dialog.getByRole("button", { name: "Export 2 trees" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => files.length, PATIENT).toBe(2);
  expect(files.map((file) => file.suggestedFilename()).sort()).toEqual(
    [`${older}.jsonl`, `${newer}.jsonl`].sort(),
  );

  for (const task of ["violet", "please fail"])
    await page.getByRole("checkbox", { name: `Select ${task}` }).check();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL(`**/compare?a=${older}&b=${newer}`);
  await page.getByText("First divergence").first().waitFor();
  await page.goto(page.url().replace(newer, older));
  await page.getByText("They do not differ.").waitFor();
  await page.getByRole("button", { name: /^\d+ equal steps$/ }).click();
  await page.getByRole("link", { name: "#1" }).first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test("[U14] a list of 700 runs renders only visible rows; more rows load when the user scrolls", async () => {
  await using p = await runsProject();
  const { link, client } = await serveRuns(p);
  for (let from = 0; from < 700; from += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.post("/api/runs", { body: { agent: "slow", task: `number ${from + index}` } }),
      ),
    );
  const { page, problems } = await browser.open(link);
  await rows(page).first().waitFor();
  expect(await rows(page).count()).toBeLessThan(60);
  const list = page.getByTestId("runs");
  await expect
    .poll(
      async () => {
        await list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
        return page.getByText(/^number \d$/).count();
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  expect(await rows(page).count()).toBeLessThan(60);
  expect(problems).toEqual([]);
});

test("[U48] [U34] the list and the settings are accessible, on a desktop and on a phone", async () => {
  await using p = await runsProject();
  const { url, link, start, startTree } = await serveRuns(p);
  await start("quick", "please fail");
  await startTree();
  const { page } = await browser.enter(link);
  for (const path of ["/?status=failed,suspended&since=today", "/settings"]) {
    await page.goto(url + path);
    await page.getByTestId("connection").getByText("Live").filter({ visible: true }).waitFor();
    if (path !== "/settings") await rows(page).first().waitFor();
    expect(await accessibilityProblems(page), path).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${url}/`);
  await rows(page).first().waitFor();
  await page.getByRole("button", { name: "Start a run" }).click();
  await page.getByRole("dialog", { name: "Start a run" }).getByLabel("Task", { exact: true }).waitFor();
  expect(await accessibilityProblems(page), "start a run").toEqual([]);
});
