// A search by a command that only reads tells nothing about the content of files with keys.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findKeyFiles } from "../../config/secrets.ts";
import { bashIn, sandboxes } from "../bash.fixture.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import type { ToolContext } from "../tool.ts";
import type { SandboxName } from "./sandbox.ts";

async function place(driver: SandboxName) {
  const folder = await tempWorkspace();
  const files = {
    ".env": "KEY=abcdefghij\n",
    "a/b/c/d/e/prod.env": "KEY=abcdefghij\n",
    ".aws/credentials": "KEY=abcdefghij\n",
    "src/a.ts": "const KEY = 1;\n",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const tool = bashIn(driver, {
    keyFiles: findKeyFiles,
    folder: folder.path,
    stateFolder: join(folder.path, ".cadre"),
  });
  return {
    run: async (command: string, context: Partial<ToolContext> = {}) => {
      const answer = await tool.execute({ command }, folder.context({ effect: "read", ...context }));
      return String(answer.output);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const SEARCHES = [
  ...[
    'grep -rn "KEY=%" .',
    "grep -rc KEY=% .",
    "grep -rl KEY=% .",
    "grep -rho KEY=% .",
    "grep --recursive KEY=% .",
  ],
  ...[
    "grep -r -e KEY=% -e .env .",
    "git status; grep -rc KEY=% .",
    "grep -rA 1 KEY=%",
    "grep -rn '' . | grep -c KEY=%",
    "grep -rc KEY=% src ''",
    "grep -r KEY=% ./src/..",
    "rg -uu -c KEY=%",
    "rg KEY=% a",
    "grep -rq KEY=% a .aws",
  ],
];

describe.each(sandboxes)("in %s", (driver) => {
  test.each(SEARCHES)("[A71] [30.5] the answer of `%s` is the same whatever the key is", async (command) => {
    await using there = await place(driver);
    const ask = async (key: string) =>
      (await there.run(command.replace("%", key))).replaceAll(/[\d.]+ s\b/g, "");
    expect(await ask("abc")).toEqual((await ask("abx")).replaceAll("abx", "abc"));
  });

  test("[A71] [30.5] other searches work, and a person can approve one that shows keys", async () => {
    await using there = await place(driver);
    expect(await there.run("grep -rn KEY src")).toContain("src/a.ts:1:const KEY");
    expect(await there.run("grep -rn 'const KEY' src | head -3")).toContain("src/a.ts:1:const KEY");
    expect(await there.run("grep -n KEY src/a.ts")).not.toContain("Shown empty");
    const all = await there.run("grep -rn KEY .");
    if (driver === "none") expect(all).toMatch(/^nothing was run: .*\.env.* Use Grep/);
    else {
      expect(all).toContain("src/a.ts:1:const KEY");
      expect(all).toContain("Shown empty to this search");
    }
    expect(await there.run("grep -rn KEY=a .", { approved: true })).toContain("KEY=abcdefghij");
  });
});
