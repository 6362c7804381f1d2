import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installHint } from "./install-hint.ts";

test("[E8] the hint says where to install a missing package: in a project, globally, or in a clone of Cadre", () => {
  const project = mkdtempSync(join(tmpdir(), "cadre-hint-"));
  const inside = join(project, "node_modules", "cadre", "dist", "config", "x.js");
  expect(installHint("pg", inside)).toBe("npm install -g pg");
  writeFileSync(join(project, "package.json"), "{}");
  expect(installHint("pg", inside)).toBe(`npm install pg (in ${project})`);
  expect(installHint("pg", join(project, "src", "config", "x.ts"))).toBe(
    `npm install --save-prod pg (in ${project})`,
  );
  rmSync(project, { recursive: true });
});
