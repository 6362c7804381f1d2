// A22: an ancestor denies Bash, and a child tries to use it anyway. A grant given in a child applies only to that child.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  delegate,
  familyOf,
  look,
  payloadsOf,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World, type WorldOptions } from "../../../test/support/world.ts";
import { decideApproval } from "../commands/person-commands.ts";

const touch = (name: string, tool = "Bash") => ({ tool, input: { command: `touch ${name}` } });
const fileExists = (world: World, name: string): boolean => existsSync(join(world.folder, name));
const NO_BASH = { allow: ["*"], ask: [], deny: ["Bash"] };

interface Denial {
  agent?: string;
  lead?: string;
  config?: string;
  request?: Parameters<World["run"]>[1];
  rule: string;
}

const denials: Record<string, Denial> = {
  "the project": { config: "permissions: { allow: ['*'], deny: [Bash] }\n", rule: "project deny Bash" },
  "the project, by another name": {
    config: "permissions: { allow: ['*'], deny: [shell_command_execute] }\n",
    rule: "project deny Bash",
  },
  "the project, for every command": {
    config: "permissions: { deny: ['Bash(*)'] }\n",
    rule: "project deny Bash(*)",
  },
  "the person who started the run": { request: { permissions: NO_BASH }, rule: "run deny Bash" },
  "that person, by another name": {
    request: { permissions: { ...NO_BASH, deny: ["shell_command_execute"] } },
    rule: "run deny Bash",
  },
  "the run's preset": {
    request: { permissions: { ...NO_BASH, deny: [], preset: "read-only" } },
    rule: "preset read-only deny Bash",
  },
  "the root's agent": { agent: "permissions: { deny: [Bash] }", rule: "ancestor tester deny Bash" },
  "the agent between": { lead: "permissions: { deny: [bash] }", rule: "ancestor lead deny Bash" },
};

const files: Record<string, string> = {
  "lists it": "tools: [Bash]",
  "lists everything": "tools: '*'",
  "lists nothing, and so has every tool": "",
  "lists it under another name": "tools: { allow: [shell_command_execute] }",
};

function tree({ agent = "", lead = "", config }: Denial, worker: string, tool?: string): WorldOptions {
  return {
    agent: `agents: [lead]\n${agent}`,
    cast: { lead: `agents: [worker]\n${lead}`, worker },
    ...(config === undefined ? {} : { config }),
    script: roles({
      tester: turns({ calls: [delegate("lead")] }),
      lead: turns({ calls: [delegate("worker")] }),
      worker: turns({ calls: [touch("made", tool)] }),
    }),
  };
}

async function verdictsOf(world: World, root: string, agent: string) {
  const run = (await familyOf(world, root)).find((row) => row.agent === agent)!;
  return payloadsOf(await world.events(run.id), "TOOL_PROPOSED").filter(({ name }) => name === "Bash");
}

describe("a deny rule of an ancestor", () => {
  for (const [who, denial] of Object.entries(denials)) {
    for (const [what, worker] of Object.entries(files)) {
      scenario(`[A22] ${who} denies Bash; the child's file ${what}`, tree(denial, worker), async (world) => {
        const root = await world.run("go", denial.request);
        await world.seen(root, "RUN_COMPLETED");
        const [judged] = await verdictsOf(world, root, "worker");
        expect(judged).toMatchObject({ verdict: "deny", rule: denial.rule });
        expect(fileExists(world, "made")).toBe(false);
      });
    }
  }

  scenario(
    "[A22] a deny rule of an ancestor also covers the other names of a tool",
    tree(denials["the root's agent"]!, "tools: [Bash]", "shell_command_execute"),
    async (world) => {
      const root = await world.run("go");
      await world.seen(root, "RUN_COMPLETED");
      expect((await verdictsOf(world, root, "worker"))[0]).toMatchObject({ verdict: "deny" });
      expect(fileExists(world, "made")).toBe(false);
    },
  );

  scenario(
    "[A22] a permanent grant does not override the deny of an ancestor, and a denied call cannot be approved",
    {
      agent: "agents: [lead]\npermissions: { deny: [Bash] }",
      cast: { lead: "tools: [Bash]", free: "tools: [Bash]" },
      script: roles({
        tester: turns({ calls: [delegate("lead")] }, { calls: [touch("made")] }),
        lead: turns({ calls: [touch("made")] }),
        free: turns({ calls: [touch("made")] }),
      }),
    },
    async (world) => {
      const free = await world.run("go", { agent: "free" });
      await world.settled(free);
      const always = { decision: "approve" as const, scope: "always" as const };
      await decideApproval(`${free}:m1.0`, always, "maria", world.runtime.people);
      await world.seen(free, "RUN_COMPLETED");
      expect((await world.runtime.store.inbox.grants()).map(({ rule }) => rule)).toEqual([
        "Bash(touch made)",
      ]);

      const root = await world.run("go");
      await world.seen(root, "RUN_COMPLETED");
      const judged = [
        ...(await verdictsOf(world, root, "lead")),
        ...(await verdictsOf(world, root, "tester")),
      ];
      expect(judged.map(({ rule }) => rule)).toEqual(["ancestor tester deny Bash", "agent tester deny Bash"]);
      const lead = (await familyOf(world, root))[1]!;
      await expect(
        decideApproval(`${lead.id}:m1.0`, always, "maria", world.runtime.people),
      ).rejects.toThrow();
    },
  );
});

describe("a grant given in a child", () => {
  for (const scope of ["once", "run", "tree"] as const) {
    scenario(
      `[A22] a child's grant with scope ${scope} applies neither to its parent nor to a sibling`,
      {
        agent: "agents: [one, two]",
        cast: { one: "", two: "" },
        script: roles({
          tester: turns({ calls: [delegate("one")] }, { calls: [delegate("two")] }, { calls: [touch("c")] }),
          one: turns({ calls: [touch("c")] }),
          two: turns({ calls: [touch("c")] }),
        }),
      },
      async (world) => {
        const root = await world.run("go");
        for (const [index, agent] of ["one", "two", "tester"].entries()) {
          await world.settled(root);
          const run = (await familyOf(world, root)).find((row) => row.agent === agent)!;
          const [id] = await openApprovalIds(world, run.id);
          expect(id, agent).toBeDefined();
          const yes = { decision: "approve" as const, scope };
          await decideApproval(
            id!,
            index === 0 ? yes : { decision: "reject" },
            "maria",
            world.runtime.people,
          );
          await world.seen(run.id, "RUN_COMPLETED");
        }
      },
    );
  }

  scenario(
    "[A22] a permanent grant that was revoked no longer applies, even in the run where it was given",
    { script: turns({ calls: [touch("a")] }, { calls: [look("x")] }, { calls: [touch("a")] }) },
    async (world) => {
      const root = await world.run("go", { permissions: { allow: [], ask: ["look"], deny: [] } });
      await world.settled(root);
      const always = { decision: "approve" as const, scope: "always" as const };
      await decideApproval(`${root}:m1.0`, always, "maria", world.runtime.people);
      while ((await openApprovalIds(world, root))[0] !== `${root}:m2.0`) await world.settled(root);
      const [grant] = await world.runtime.store.inbox.grants();
      expect(grant).toMatchObject({ rule: "Bash(touch a)", folder: world.folder, until: expect.any(Number) });
      await world.runtime.store.inbox.revokeGrant(grant!.id);
      await decideApproval(`${root}:m2.0`, { decision: "approve" }, "maria", world.runtime.people);
      while ((await openApprovalIds(world, root))[0] !== `${root}:m3.0`) await world.settled(root);
      expect((await verdictsOf(world, root, "tester")).map(({ verdict }) => verdict)).toEqual(["ask", "ask"]);
    },
  );
});
