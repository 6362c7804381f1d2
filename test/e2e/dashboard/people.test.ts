// Several users: an admin adds a viewer, and the page shows only the actions that a role allows.

import { expect, test } from "vitest";
import { expectConnection, withBrowser } from "./browser.fixture.ts";
import { serve, treeProject } from "./server.fixture.ts";

const browser = withBrowser();

test("[A09] [A23] an admin adds a viewer; the viewer can only look, and is signed out as soon as the admin revokes access", async () => {
  await using p = await treeProject();
  await p.write("cadre.yaml", "users: { see: all }\n");
  Object.assign(p.env, { CADRE_TRUST: "1" });
  const { url, link } = await serve(p);
  const { page, problems } = await browser.enter(link);
  await page.goto(`${url}/settings`);
  await page.getByLabel("Name", { exact: true }).fill("vera");
  await page.getByLabel("Role").selectOption("viewer");
  await page.getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog", { name: "Token for vera" });
  const theirs = await dialog
    .getByText(/\/open\//)
    .first()
    .innerText();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Revoke vera" }).waitFor();

  const viewer = await browser.open(theirs.trim());
  await viewer.page.goto(`${url}/settings`);
  await viewer.page.getByText("You are vera, a viewer.").waitFor();
  expect(await viewer.page.getByRole("heading", { name: "Users" }).count()).toBe(0);
  await viewer.page.goto(url);
  await expectConnection(viewer.page, "Live");
  const start = viewer.page.getByRole("button", { name: "Start a run" }).first();
  await expect.poll(() => start.isDisabled(), { timeout: 20_000 }).toBe(true);
  expect(await start.getAttribute("title")).toBe(
    "Only an operator or an admin may do this: you are a viewer.",
  );

  await page.getByRole("button", { name: "Revoke vera" }).click();
  await expectConnection(viewer.page, "Signed out");
  await page.getByRole("button", { name: "New token for vera" }).waitFor();
  expect(problems).toEqual([]);
});
