// Servers of tools through a whole run: listed and pinned, offered, asked about, called, and gone when the process is.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { decideApproval } from "../../src/loop/people.ts";
import { payloadsOf, resultsRead, turns } from "../support/scenario.ts";
import { makeWorld, openApprovalIds } from "../support/world.ts";

const SERVERS = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol");
const program = (name: string): string => join(SERVERS, name, "dist/index.js");

const config = `
mcpServers:
  files: { command: ${process.execPath}, args: [${program("server-filesystem")}, .] }
`;

it("[A48] [P5] a server's tool asks first, with its words and its input, and answers inside a mark", async () => {
  const world = await makeWorld({
    config,
    agent: "mcpServers: [files]",
    files: { "notes.txt": "the answer is 42" },
    script: turns(
      { calls: [{ tool: "mcp__files__read_text_file", input: { path: "notes.txt" } }] },
      { text: "Done." },
    ),
  });
  try {
    const runId = await world.run("read the notes");
    await world.settled(runId);
    const [approval] = await openApprovalIds(world, runId);
    const [proposed] = payloadsOf(await world.events(runId), "TOOL_PROPOSED");
    expect(proposed).toMatchObject({
      verdict: "ask",
      effect: "unsafe",
      rule: "default ask mcp__files__read_text_file",
    });
    expect(proposed?.preview).toContain('"path": "notes.txt"');
    expect(proposed?.preview).toContain("The server says of it: Read the complete contents");
    await decideApproval(approval!, { decision: "approve" }, "ann", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
    expect(resultsRead(await world.events(runId)).at(-1)).toMatch(
      /^<untrusted-(\w{16}) source="mcp files">\nthe answer is 42\n<\/untrusted-\1>$/,
    );
    expect(payloadsOf(await world.events(runId), "TOOL_RESULT")[0]).toMatchObject({ untrusted: "mcp files" });
    expect(readFileSync(join(world.folder, "notes.txt"), "utf8")).toBe("the answer is 42");
  } finally {
    await world.close();
  }
});
