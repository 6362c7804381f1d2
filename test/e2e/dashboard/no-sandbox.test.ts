// The page of a machine without a sandbox. The machine of the test may have one, so the server gets a PATH without its programs.

import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent, project } from "../../../src/cli/cli.fixture.ts";
import { withBrowser } from "./browser.fixture.ts";

const browser = withBrowser();

test("[A94] [30.18] the page says in red that there is no sandbox, until the person closes the notice", async () => {
  await using p = await project({ "agents/coder.md": agent("coder") });
  const bin = join(p.folder, "..", "bin");
  await mkdir(bin);
  for (const name of ["git", "sh"])
    await symlink(
      execFileSync("sh", ["-c", `command -v ${name}`])
        .toString()
        .trim(),
      join(bin, name),
    );
  Object.assign(p.env, { PATH: bin, CADRE_TRUST: "1" });
  const server = p.start("up", "--port", "0", "--no-open", "--json");
  const { link } = JSON.parse((await server.shows(/^\{.*"link".*\}$/m))[0]) as { link: string };
  const { page, problems } = await browser.open(link);
  const notice = page.getByRole("region", { name: "No sandbox" });
  await notice.waitFor();
  expect(await notice.innerText()).toMatch(/^No sandbox works here, .* To change that: \S/s);
  const [red = 0, green = 0, blue = 0] = await notice.evaluate((bar) => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    context.fillStyle = getComputedStyle(bar).color;
    context.fillRect(0, 0, 1, 1);
    return Array.from(context.getImageData(0, 0, 1, 1).data);
  });
  expect(red).toBeGreaterThan(Math.max(green, blue) + 40);
  await notice.getByRole("button", { name: "Close" }).click();
  await notice.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  expect(await notice.count()).toBe(0);
  expect(problems).toEqual([]);
});
