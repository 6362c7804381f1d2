// Tests cases that the protocol does not define. A scripted program plays the other side.
// Real programs behave like this, as test/e2e/real-agents.test.ts showed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { payloadsOf, scenario, turns, typesOf } from "../../test/support/scenario.ts";
import type { WorldOptions } from "../../test/support/world.ts";
import { decideApproval } from "../loop/commands/person-commands.ts";
import { openItems } from "../projections/folds/approvals.ts";

const AGENT = join(import.meta.dirname, "../../test/support/acp-agent.ts");

const options = (permissions: string): WorldOptions => ({
  script: turns(),
  agent: `runner: {acp: {command: "${process.execPath}", args: ["${AGENT}"]}}`,
  config: `sandbox: none\npermissions: ${permissions}\n`,
});

const script = (...lines: string[]): string => `SCRIPT\n${lines.join("\n")}`;

scenario(
  "[RN2] a call that is reported before its permission request is judged once; a program that stops after a refusal is told to continue",
  options('{allow: ["Bash(touch *)"], deny: ["Bash(rm *)"]}'),
  async (world) => {
    const runId = await world.run(
      script("begin-ask execute touch x", "begin-ask execute rm x", "say Never."),
    );
    await world.settled(runId);
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED").map(({ verdict, rule }) => [verdict, rule])).toEqual([
      ["allow", "project allow Bash(touch *)"],
      ["deny", "project deny Bash(rm *)"],
    ]);
    expect(payloadsOf(events, "TOOL_RESULT")).toMatchObject([
      { output: "output of touch x" },
      { outcome: "denied" },
    ]);
    expect(typesOf(events)).not.toContain("MODEL_CALL_FAILED");
    expect(readFileSync(join(world.folder, "acp.log"), "utf8").match(/^prompt /gm)).toHaveLength(2);
  },
);

scenario(
  "[RN2] if a call has no input, its title is used as the command; the call's description is not recorded as output",
  options('{allow: ["Bash(touch *)"]}'),
  async (world) => {
    const runId = await world.run(
      script("ask-bare execute touch x", "ask-bare execute touch y...", "say Done."),
    );
    const { waitingOn } = await world.settled(runId);
    expect(waitingOn?.kind).toBe("approval");
    const events = await world.events(runId);
    expect(payloadsOf(events, "TOOL_PROPOSED").map(({ name, verdict }) => [name, verdict])).toEqual([
      ["Bash", "allow"],
      ["mcp__acp__execute", "ask"],
    ]);
    expect(payloadsOf(events, "TOOL_RESULT")).toMatchObject([{ output: "" }]);
    const [item] = openItems(await world.state(runId));
    await decideApproval(item!.id, { decision: "approve" }, "sam", world.runtime.people);
    await world.seen(runId, "RUN_COMPLETED");
  },
);
