import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openProject } from "./project.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cadre-project-"));
  mkdirSync(join(folder, "agents"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function offeredTo(tools: string, env: Record<string, string> = {}): Promise<string[]> {
  writeFileSync(join(folder, "agents", "clerk.md"), `---\ndescription: Works.\n${tools}\n---\nWork.\n`);
  writeFileSync(join(folder, "cadre.yaml"), "loki: { url: 'http://127.0.0.1:3100' }\n");
  const project = openProject({ folder, env, home: folder });
  return project.offeredTools(await project.find("clerk")).map(({ name }) => name);
}

test("a tool that is not configured is offered only to agents that name it", async () => {
  const FILES = ["Read", "Write", "Edit", "Glob", "Grep", "LS", "Bash", "TodoWrite", "WebFetch"];
  expect(await offeredTo("")).toEqual(FILES);
  expect(await offeredTo('tools: ["*"]')).toEqual(FILES);
  expect(await offeredTo("tools: [Read, loki_query]")).toEqual(["Read", "loki_query"]);
});

test("[A53] only a trusted folder can configure Loki", async () => {
  expect(await offeredTo("", { CADRE_TRUST: "1" })).toContain("loki_query");
  expect(await offeredTo("")).not.toContain("loki_query");
});
