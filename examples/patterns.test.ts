// The examples of the patterns, all in the same way. Each judges itself; here it is also shown that it can find itself
// wanting, and that the guide shows what it prints.

import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { example as advisors } from "./advisors/main.ts";
import { example as bestOf } from "./best-of/main.ts";
import { example as handoff } from "./handoff/main.ts";
import { example as together } from "./patterns-together/main.ts";
import { example as router } from "./router/main.ts";
import { play } from "./shared/play.ts";
import { example as team } from "./team/main.ts";

const EXAMPLES = [handoff, router, advisors, bestOf, team, together].map(
  (example) => [basename(example.folder), example] as const,
);
const HERE = import.meta.dirname;
const { TMPDIR = tmpdir() } = process.env;
const root = mkdtempSync(join(TMPDIR, "cadre-examples-"));

beforeAll(() => {
  process.env["TMPDIR"] = root;
});
afterAll(() => {
  process.env["TMPDIR"] = TMPDIR;
  rmSync(root, { recursive: true });
});

describe.each(EXAMPLES)("%s", (name, example) => {
  test("[S3-67] is as it says, and the guide shows what it prints", async () => {
    const said: string[] = [];
    expect(await play(example, (text) => said.push(text))).toEqual([]);
    const printed = new Set(normalized(said.join("\n")));
    for (const { page, block } of blocksOf(name))
      for (const line of normalized(block)) expect(printed, page).toContain(line);
  });

  test("finds itself wanting where one agent has done it all", async () => {
    const problems = await play({ ...example, agent: "assistant" }, () => {});
    expect(problems).toContainEqual(expect.stringMatching(/^The tree is\nassistant, user, \d\nwhere this/));
    expect(problems).toContainEqual(expect.stringMatching(/^The answer does not say/));
  });

  test("has its line in the list", () => {
    expect(readFileSync(join(HERE, "README.md"), "utf8")).toContain(`| [${name}](${name}) |`);
  });
});

test("[S3-70] every example is shown in the guide", () => {
  for (const [name] of EXAMPLES) expect(blocksOf(name), name).not.toEqual([]);
});

test("runs by itself, and its exit code says how it went", () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, TMPDIR: root } });
  const whole = run(join(HERE, "handoff/main.ts"));
  expect(whole).toMatchObject({ status: 0, stderr: "" });
  expect(whole.stdout).toMatch(/└─ approver {2}handoff {2}completed .*\n.*\n\nChecked\./);
  const other = `
    import { example } from ${JSON.stringify(join(HERE, "handoff/main.ts"))};
    import { main } from ${JSON.stringify(join(HERE, "shared/play.ts"))};
    await main({ ...example, agent: "assistant" });`;
  const wanting = run("--input-type=module", "--eval", other);
  expect(wanting.status).toBe(1);
  expect(wanting.stderr).toContain("Not as it should be: The tree is");
});

/** Of the guide: what it says that this example prints. */
function blocksOf(name: string): { page: string; block: string }[] {
  const guide = join(HERE, "../docs/guide");
  return globSync("*.md", { cwd: guide }).flatMap((page) =>
    [...readFileSync(join(guide, page), "utf8").matchAll(/^```text (\S+)\n(.*?)^```$/gms)]
      .filter(([, of]) => of === name)
      .map(([, , block]) => ({ page, block: block! })),
  );
}

/** Without what differs from run to run: ids, times, the number of an event where children end in another order. */
function normalized(text: string): string[] {
  return text
    .replaceAll(/\b[rc][0-9a-z]{21}\b/g, "<run>")
    .replaceAll(/untrusted-[0-9a-z]{16}/g, "untrusted-<nonce>")
    .replaceAll(/\b[\d.]+ m?s\b/g, "<time>")
    .replaceAll(/^ *\d+(?= {2}[A-Z_]+( |$))/gm, "")
    .split("\n")
    .map((line) => line.replaceAll(/ +/g, " ").trim())
    .filter((line) => line !== "" && line !== "…");
}
