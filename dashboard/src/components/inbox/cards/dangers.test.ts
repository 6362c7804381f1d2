import { expect, test } from "vitest";
import type { ApprovalView } from "../../../../../src/api/client/types.ts";
import { findDangers } from "./dangers.ts";

const dangers = (...argv: string[]) =>
  findDangers({
    kind: "tool",
    tool: "Bash",
    input: { command: argv.join(" ") },
    command: { grade: "exact", programs: [{ argv }], files: [], hosts: [], decoded: [] },
  } as unknown as ApprovalView);

test.each([
  "git push --force origin main",
  "git push --force-with-lease",
  "git push -f",
  "git push origin +main",
  "git push origin --delete main",
  "git -C folder push --force",
  "git reset --hard HEAD~3",
  "git clean -fdx",
  "git branch -D topic",
  "git stash drop",
  "find . -name *.log -delete",
  "npm publish",
  "kubectl delete pod x",
  "terraform destroy",
  "rm -rf build",
  "chmod -R 777 .",
])("[A17] the card warns about `%s`", (command) => {
  expect(dangers(...command.split(" "))).toHaveLength(1);
});

test.each([
  "git push origin main",
  "git reset HEAD a.txt",
  "git clean -n",
  "find . -name x",
  "npm test",
  "git stash",
])("the card does not warn about `%s`", (command) => {
  expect(dangers(...command.split(" "))).toEqual([]);
});
