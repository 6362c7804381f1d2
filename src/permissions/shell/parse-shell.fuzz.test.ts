// Compares the parser with bash: every command that bash runs must be among the parsed commands, word for word.
// The seed is fixed. Set SEEDS for more samples.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseShell } from "./parse-shell.ts";

const COUNT = Number(process.env["SEEDS"] ?? 1_500);

const PLAIN = [
  "a",
  "b",
  "c",
  " ",
  " a ",
  "a b",
  "'a b'",
  '"b c"',
  "a\\ b",
  "a~1",
  "{}",
  "a{}b",
  "b^",
  "--x=c",
  ";",
  "&",
  "|",
  "&&",
  "||",
  "\n",
  "2>&1",
  " >f ",
];

const FRAGMENTS = [
  ...Array.from(" \t\n;&|<>()'\"\\$`#!*?[]{}=~^:,-"),
  "a b",
  " c ",
  "&&",
  "||",
  "|&",
  ">&1",
  "2>&1",
  ">f",
  "$(c)",
  "`c`",
  "\u0024{a:=$(c)}",
  "$((a[$(c)]))",
  "$'\\x20'",
  "<<E\n",
  "\nE\n",
  "\\\n",
  "a=b ",
  "a\\ b",
  "'a b'",
  '"a b"',
  "a()",
  "if a",
  "then b",
  "fi",
  "for a in b",
  "do c",
  "done",
  "time ",
  "coproc ",
  "\r",
  "\u00a0",
];

const FRAGMENT = fc.oneof(
  { arbitrary: fc.constantFrom(...PLAIN), weight: 3 },
  { arbitrary: fc.constantFrom(...FRAGMENTS), weight: 1 },
);

it("[A29] parseShell finds every command that bash runs, with exactly the same words", {
  timeout: 600_000,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), "cadre-argv-"));
  try {
    const sources = fc.sample(
      fc.array(FRAGMENT, { minLength: 1, maxLength: 9 }).map((parts) => parts.join("")),
      { numRuns: COUNT, seed: 20_26 },
    );
    let exact = 0;
    for (const source of new Set(sources)) {
      const parsed = parseShell(source);
      if (parsed.grade !== "exact") continue;
      exact++;
      const read = parsed.commands.map((one) => JSON.stringify(one.argv));
      for (const argv of actuallyRun(source, folder, join(folder, `log-${exact}`)))
        expect(read, JSON.stringify(source)).toContain(argv);
    }
    expect(exact).toBeGreaterThan(COUNT / 20);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * No command exists on this PATH. So bash passes the words of each command to the handler, which logs them in a single write.
 */
const RECORD = `
command_not_found_handle() { local words; printf -v words '%s\\2' "$@"; printf '%s\\1' "$words" >> "$log"; }
log=$1; eval "$2"; wait`;

function actuallyRun(source: string, cwd: string, log: string): string[] {
  try {
    execFileSync("/bin/bash", ["--norc", "--noprofile", "-c", RECORD, "-", log, source], {
      cwd,
      env: { PATH: join(cwd, "none") },
      stdio: "ignore",
      timeout: 5_000,
    });
  } catch {
    // The command is allowed to fail, because only the log of commands matters.
  }
  if (!existsSync(log)) return [];
  const records = readFileSync(log, "utf8").split("\x01").slice(0, -1);
  return records.map((record) => JSON.stringify(record.split("\x02").slice(0, -1)));
}
