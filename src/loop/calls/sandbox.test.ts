import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { payloadsOf, scenario, turns } from "../../../test/support/scenario.ts";
import { inspectSandbox } from "../../project/project.ts";
import { decideApproval } from "../commands/person-commands.ts";

const bash = (command: string) => ({ tool: "Bash", input: { command } });
const { used } = await inspectSandbox({ sandbox: { driver: "auto", network: "approved", write: [] } });
const isConfined = used !== "none";

scenario(
  "[C2] [A37] if a rule allows a command, protected files stay read-only; if a person approves the command, it can write the file that it names",
  {
    idle: true,
    agent: "tools: [Bash]",
    config: "permissions: { allow: [Bash], ask: ['Bash(tee *)'] }\n",
    script: turns(
      { calls: [bash("touch plain; cd .; name=p.json; echo > .mc$name")] },
      { calls: [bash("tee .envrc < /dev/null")] },
    ),
  },
  async (world) => {
    const runId = await world.run("work");
    const waiting = await world.drive(runId);
    expect(waiting.status).toBe("suspended");
    const [first] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(first).toMatchObject({ sandbox: used });
    expect(existsSync(join(world.folder, "plain"))).toBe(true);
    expect(existsSync(join(world.folder, ".mcp.json"))).toBe(!isConfined);
    if (isConfined) expect(first!.output).toContain(".mcp.json was made by this command and moved to");
    await decideApproval(`${runId}:m2.0`, { decision: "approve" }, "ann", world.runtime.people);
    await world.drive(runId);
    expect(readFileSync(join(world.folder, ".envrc"), "utf8")).toBe("");
  },
);

scenario(
  "[C3] a command that only reads is judged as a read, and its result names the sandbox",
  {
    idle: true,
    agent: "tools: [Bash]",
    config: "permissions: { allow: [Bash] }\n",
    script: turns({ calls: [bash("ls")] }),
  },
  async (world) => {
    const runId = await world.run("look");
    await world.drive(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED")).toMatchObject([{ effect: "read" }]);
    expect(payloadsOf(events, "TOOL_RESULT")).toMatchObject([{ sandbox: used }]);
  },
);
