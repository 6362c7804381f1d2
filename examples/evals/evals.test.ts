// Runs the example with the commands from the guide.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { programPath } from "../../test/support/programs.ts";
import { ENVIRONMENT } from "../shared/environment.ts";

const root = mkdtempSync(join(tmpdir(), "cadre-evals-"));
afterAll(() => rmSync(root, { recursive: true }));

const { PATH, NODE_COMPILE_CACHE } = process.env;
const evaluate = () =>
  spawnSync(process.execPath, [programPath("cadre"), "eval", "support.eval.yaml"], {
    cwd: join(root, "p"),
    encoding: "utf8",
    env: { ...ENVIRONMENT, PATH, NODE_COMPILE_CACHE, HOME: root, TMPDIR: root },
  });

test("[EV3] the example passes; if an answer changes, the evaluation fails and reports the regression", () => {
  cpSync(import.meta.dirname, join(root, "p"), { recursive: true });
  const first = evaluate();
  expect(first.stderr).toBe("");
  expect(first.stdout).toMatch(/^knows the refund rule +5 of 5 +100 % +57 % to 100 % +- +\$0\.00 +\$0\.00$/m);
  expect(first.stdout).toMatch(/^all +15 of 15 +100 % +80 % to 100 %/m);
  expect(first.status).toBe(0);

  const script = join(root, "p/support.script.yaml");
  writeFileSync(script, readFileSync(script, "utf8").replace("open: 2", "open: 3"));
  const worse = evaluate();
  expect(worse.stdout).toMatch(
    /^Regression: counts open tickets passed 5 of 5 in the baseline, 0 of 5 now: the 95 % intervals do not overlap\.$/m,
  );
  expect(worse.status).toBe(1);
}, 180_000);
