// Finds the problems in a Compose file. It uses the schema that Compose itself publishes, which lists every key.
// Style rules, such as the order of keys, are ignored.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DCLinter } from "dclint";

const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });

export function composeProblems(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "cadre-compose-"));
  try {
    const file = join(folder, "compose.yaml");
    writeFileSync(file, text);
    const [result] = linter.lintFiles([file], false) as [{ messages: { rule: string; message: string }[] }];
    return result.messages
      .filter(({ rule }) => rule === "invalid-schema" || rule === "invalid-yaml")
      .map(({ message }) => message);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
