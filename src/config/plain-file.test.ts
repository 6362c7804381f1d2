import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { readPlainFile } from "./plain-file.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-plain-"));

test("[A38] readPlainFile follows a link to a plain file", () => {
  writeFileSync(join(folder, "a.txt"), "a");
  symlinkSync(join(folder, "a.txt"), join(folder, "link.txt"));
  expect(readPlainFile(join(folder, "link.txt"), 1)).toBe("a");
  expect(() => readPlainFile(join(folder, "a.txt"), 0)).toThrow("larger");
});

test("[A38] if cadre.yaml is a pipe or a device, loading it gives an error and does not hang", () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  for (const target of [join(folder, "pipe"), "/dev/zero"]) {
    const project = mkdtempSync(join(tmpdir(), "cadre-plain-"));
    symlinkSync(target, join(project, "cadre.yaml"));
    expect(() => loadConfig({ folder: project, env: {} })).toThrow(
      "cadre.yaml cannot be read: it is no plain file",
    );
  }
});
