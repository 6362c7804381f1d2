// Checks from outside that the system in this folder does what document S3 says.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, type Seed, startSeed } from "../seed.fixture.ts";

let seed: Seed;
beforeAll(async () => {
  seed = await startSeed("s3");
});
afterAll(() => seed[Symbol.asyncDispose]());

/** Runs an agent to its end, and returns the tree. */
async function run(agent: string, task: string): Promise<Json> {
  const { runId } = await seed.post("/api/runs", { agent, task });
  await seed.until(`/api/runs/${runId}`, ({ endedAt }) => endedAt !== undefined);
  return seed.get(`/api/runs/${runId}/tree`);
}

/** The first message that the model of a run reads. */
async function opening({ id }: Json): Promise<string> {
  const { messages } = await seed.get(`/api/runs/${id}/context?view=raw`);
  return JSON.stringify(messages[0]);
}

test("[S3-9] [S3-10] [S3-13] a chain of handoffs returns the last agent's answer; a plain `handoff: name` passes on only the answer", async () => {
  const tree = await run("writer", "Announce version 3");
  expect(tree).toMatchObject({ status: "completed", summary: "The release notes are published." });
  const [gateway] = tree.children;
  expect(gateway).toMatchObject({ agent: "approval-gateway", task: "A draft about the new release." });
  expect(gateway.children).toMatchObject([{ agent: "publisher", trigger: "handoff" }]);
  expect(await opening(gateway.children[0])).not.toContain("ORIGINAL USER REQUEST");
});

test("[S3-21] a router passes the whole request to an agent and returns its answer; a router with `subagents` is refused", async () => {
  const tree = await run("reception", "My invoice is wrong");
  expect(tree).toMatchObject({ status: "completed", summary: "Billing answers: My invoice is wrong" });
  expect(tree.children).toMatchObject([{ agent: "billing", task: "My invoice is wrong" }]);
  const keys = "description: A wrong router.\nrouter: true\nsubagents: [billing]";
  writeFileSync(join(seed.folder, "agents/wrong.md"), `---\n${keys}\n---\nx\n`);
  const { code, stdout } = await seed.cadre("agents", "validate", "agents/wrong.md");
  expect(code).not.toBe(0);
  expect(stdout).toContain("`router` and `subagents` exclude each other");
});

test("[S3-29] [S3-31] the advisors' answers are added to the request in the format of document S3, even if one advisor fails", async () => {
  const tree = await run("manager", "Shall we buy it?");
  expect(tree).toMatchObject({ status: "completed", summary: "We do it." });
  expect(tree.children.map(({ status }: Json) => status)).toEqual(["completed", "completed", "failed"]);
  const read = await opening(tree);
  const start =
    "## ORIGINAL USER REQUEST\n\nShall we buy it?\n\n## ANALYSIS GATHERED\n\n### From compliance-checker\n\nIt is allowed.";
  expect(read).toContain(JSON.stringify(start).slice(1, -1));
});

test("[S3-33] a team deliberates until all members vote to conclude; then its coordinator answers", async () => {
  const tree = await run("committee", "May it go out?");
  expect(tree).toMatchObject({ status: "completed", summary: "The committee agrees." });
  expect(tree.children).toHaveLength(6);
  const [row] = seed.sql("SELECT count(*) AS runs FROM runs WHERE root = ?", tree.id);
  expect(row).toEqual({ runs: 7 });
  const { messages } = await seed.get(`/api/runs/${tree.children.at(-1).id}/context?view=raw`);
  expect(JSON.stringify(messages)).toContain("says:");
  expect(JSON.stringify(messages)).not.toContain("<untrusted-");
});

test("[28.18] the README's own command line works in the reader's shell", async () => {
  expect(await seed.readme()).toMatchObject({ code: 0 });
});
