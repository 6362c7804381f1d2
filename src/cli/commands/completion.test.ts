// Tests the completion of the command line, with a real bash.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { agent, type Project, project } from "../cli.fixture.ts";

const FILES = {
  "agents/clerk.md": agent("clerk"),
  "agents/cleaner.md": agent("cleaner"),
  "clerk.script.yaml": `turns:
  - when: { turn: 1 }
    calls: [{ tool: Write, input: { path: note.txt, content: "hello" } }]
  - report: { summary: The note is written. }
`,
};

const completer = (p: Project) => async (line: string) =>
  (await p.cadre("complete", "--", ...line.split(" "))).stdout
    .split("\n")
    .filter(Boolean)
    .map((row) => row.split("\t")[0]!)
    .sort();

test("[26.16] commands, options, choices, agents, runs and open items are completed", async () => {
  await using p = await project(FILES);
  const complete = completer(p);
  expect(await complete("sho")).toEqual(["show"]);
  expect(await complete("agents val")).toEqual(["validate"]);
  expect(await complete("")).not.toContain("complete");
  expect(await complete("run --re")).toEqual(["--rehearse", "--resume"]);
  expect(await complete("agents --a")).toEqual(["--all"]);
  expect(await complete("export r1 --format j")).toEqual(["jsonl"]);
  expect(await complete("completion f")).toEqual(["fish"]);
  expect(await complete("run cle")).toEqual(["cleaner", "clerk"]);
  expect(await complete("runs --agent cle")).toEqual(["cleaner", "clerk"]);
  expect(await complete("show "), "no store is created").toEqual([]);

  expect((await p.cadre("run", "clerk", "write")).code).toBe(3);
  const runId = String((await p.cadre("runs", "--json")).lines()[0]!["id"]);
  expect(await complete("show ")).toEqual([runId]);
  expect(await complete("run --resume ")).toEqual([runId]);
  expect(await complete(`--plain compare ${runId} r`)).toEqual([runId]);
  expect(await complete(`approve ${runId.slice(0, 8)}`)).toEqual([
    String((await p.cadre("approve", "--json")).lines()[0]!["id"]),
  ]);
});

test("[26.16] bash completes an id with a colon, and a file where Cadre knows no candidates", async () => {
  await using p = await project({});
  const { stdout: script } = await p.cadre("completion", "bash");
  // A function in place of the program.
  const program = `cadre() { [[ "$*" == "complete -- approve "* ]] && printf 'r1:m4.0\\tclerk\\n'; }`;
  const press = `tab() { COMP_LINE="$1"; COMP_POINT=\${#1}; _cadre_complete cadre; echo "\${COMPREPLY[@]}"; }`;
  const run = [program, script, press, 'tab "cadre approve r1:m"', 'tab "X=1 cadre approve "'].join("\n");
  const { stdout } = await promisify(execFile)("bash", ["-c", `${run}\ncomplete -p cadre`]);
  expect(stdout.split("\n")).toEqual(["m4.0", "r1:m4.0", "complete -o default -F _cadre_complete cadre", ""]);
});
