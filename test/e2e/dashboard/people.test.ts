// Several users: an admin adds a viewer, and the page shows only the actions that a role allows.

import { expect, test } from "vitest";
import { expectConnection, withBrowser } from "./browser.fixture.ts";
import { clientOf, serve, treeProject } from "./server.fixture.ts";

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
  // [29.11] A viewer sees no button that the role does not allow: not on the list, not on a run, not in an event.
  await expect
    .poll(() => viewer.page.getByRole("button", { name: "Start a run" }).count(), { timeout: 20_000 })
    .toBe(0);
  const { runId } = await clientOf({ url, link }, p).post("/api/runs", {
    body: { agent: "worker", task: "Mend the parser" },
  });
  await viewer.page.goto(`${url}/r/${runId}#1`);
  await viewer.page.getByText("Needs a person", { exact: true }).waitFor();
  await viewer.page.getByText("View only").waitFor();
  await viewer.page.getByRole("link", { name: "See the request" }).waitFor();
  await viewer.page.getByRole("region", { name: "Details" }).getByText("Mend the parser").first().waitFor();
  for (const name of ["Decide here", "Fork from here", "Stop", "Message", "Fork"])
    expect(await viewer.page.getByRole("button", { name, exact: true }).count(), name).toBe(0);

  await page.getByRole("button", { name: "Revoke vera" }).click();
  await expectConnection(viewer.page, "Signed out");
  await page.getByRole("button", { name: "New token for vera" }).waitFor();
  expect(problems).toEqual([]);
});
