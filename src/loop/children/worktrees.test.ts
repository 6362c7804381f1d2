import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  delegate,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import { openApprovalIds, type World } from "../../../test/support/world.ts";
import { decideApproval } from "../commands/person-commands.ts";
import { checkOnRuns } from "../drive/check-on-runs.ts";

const write = (path: string, content: string) => ({ tool: "Write", input: { path, content } });
const bash = (command: string) => ({ tool: "Bash", input: { command } });

const apart = {
  agent: "agents: [coder]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }",
  cast: { coder: "workspace: worktree" },
  config: "permissions: { allow: [Write, Bash] }\nworktrees: { merge: auto }\n",
};

function repository(world: World): (...args: string[]) => string {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      cwd: world.folder,
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  writeFileSync(join(world.folder, "a.txt"), "a\n");
  writeFileSync(join(world.folder, ".gitignore"), ".cadre\neffects.log\nhome\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  return git;
}

scenario(
  "[D6] a child in a worktree works in its own folder, and its work is merged when it ends",
  {
    ...apart,
    script: roles({
      tester: turns({ calls: [delegate("coder", "one"), delegate("coder", "two")] }),
      coder: ({ turn, task }) =>
        turn === 1 ? { calls: [write(`${task}.txt`, `${task}\n`), bash("pwd")] } : { text: `wrote ${task}` },
    }),
  },
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed" });
    expect(readFileSync(join(world.folder, "one.txt"), "utf8")).toBe("one\n");
    expect(readFileSync(join(world.folder, "two.txt"), "utf8")).toBe("two\n");
    const events = await world.events(runId);
    const children = payloadsOf(events, "CHILD_RUN_STARTED").map(({ child_run_id }) => child_run_id);
    for (const child of children) {
      const worked = resultsRead(await world.events(child))[1];
      expect(worked).toContain(join(".cadre", "worktrees", child));
      expect(existsSync(join(world.folder, ".cadre", "worktrees", child))).toBe(false);
    }
    expect(git("branch", "--list", "cadre/*")).toBe("");
    expect(JSON.stringify(promptOf(events))).toContain("Its work is merged here: one.txt.");
    const [done] = payloadsOf(events, "RUN_COMPLETED");
    expect(
      [...(done?.result.files_created ?? []), ...(done?.result.files_modified ?? [])].toSorted(),
    ).toEqual(expect.arrayContaining(["one.txt", "two.txt"]));
  },
);

scenario(
  "[D6] conflicting work is reported and kept on its branch; the parent's files stay unchanged",
  {
    ...apart,
    script: roles({
      tester: turns({ calls: [delegate("coder", "one"), delegate("coder", "two")] }),
      coder: ({ turn, task }) =>
        turn === 1 ? { calls: [write("same.txt", `${task}\n`)] } : { text: `wrote ${task}` },
    }),
  },
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [first, second] = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED").map(
      (child) => child.child_run_id,
    );
    const here = readFileSync(join(world.folder, "same.txt"), "utf8");
    const kept = here === "one\n" ? second : first;
    expect(git("show", `cadre/${kept}:same.txt`)).toBe(here === "one\n" ? "two\n" : "one\n");
    expect(JSON.stringify(promptOf(await world.events(runId)))).toContain(
      `was NOT merged; all of it is on the branch cadre/${kept}. Changed on both sides: same.txt.`,
    );
    const [{ result }] = payloadsOf(await world.events(runId), "RUN_COMPLETED") as [
      ReturnType<typeof payloadsOf<"RUN_COMPLETED">>[number],
    ];
    expect(result.unmerged, "[26.8] the result says what is missing").toEqual([
      {
        run_id: kept,
        agent: "coder",
        branch: `cadre/${kept}`,
        files: ["same.txt"],
        detail: expect.stringContaining("Changed on both sides: same.txt."),
      },
    ]);
    expect(result.warnings).toEqual([
      expect.stringContaining(
        `The work of coder is NOT in the files here. It is on the branch cadre/${kept}.`,
      ),
    ]);
  },
);

scenario(
  "[D6] a failed child's work stays on its branch; in a folder without git, the delegation is refused with a reason",
  {
    ...apart,
    script: roles({
      tester: turns({ calls: [delegate("coder", "one")] }, { calls: [delegate("coder", "two")] }),
      coder: ({ turn }) =>
        turn === 1 ? { calls: [write("half.txt", "half\n")] } : { error: { status: 400, message: "no" } },
    }),
  },
  async (world) => {
    const none = await world.run("see to it");
    await world.settled(none);
    expect(resultsRead(await world.events(none))[0]).toMatch(/^coder cannot be started in a worktree: /);
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [child] = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED").map(
      (started) => started.child_run_id,
    );
    expect(existsSync(join(world.folder, "half.txt"))).toBe(false);
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    expect(ended!.result.files_created, "[26.8] a file that is not here is not said to be created").toEqual(
      [],
    );
    expect(git("show", `cadre/${child}:half.txt`)).toBe("half\n");
  },
);

scenario(
  "[D6] if two siblings change one file, the second learns which run is changing it, and can change it after that run has ended",
  {
    agent: "agents: [coder, helper]\ntools: []\ndelegation: { mode: parallel, maxParallel: 2 }",
    cast: { coder: "", helper: "" },
    config: "permissions: { allow: [Write] }\n",
    script: roles({
      tester: turns(
        { calls: [delegate("coder"), delegate("helper")] },
        { calls: [delegate("helper", "again")] },
      ),
      coder: ({ turn }) =>
        turn === 1 ? { calls: [write("./a.txt", "coder\n")] } : { text: "done", delay: 400 },
      helper: ({ turn, task }) => {
        if (turn === 1) return { calls: [write("a.txt", "helper\n")], delay: task === "again" ? 0 : 150 };
        return { text: "done" };
      },
    }),
  },
  async (world) => {
    const runId = await world.run("see to it");
    await world.settled(runId);
    const started = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
    const [coder, helper, again] = started.map(({ child_run_id }) => child_run_id);
    expect(resultsRead(await world.events(helper!))[0]).toBe(
      `a.txt is being changed by coder (run ${coder}), so nothing was done. Work on something else, or try again when it has ended.`,
    );
    expect(payloadsOf(await world.events(again!), "TOOL_RESULT")[0]?.isError).toBeUndefined();
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("helper\n");
  },
);

scenario(
  "[P12] [D6] a deny rule of the project also applies in its worktrees, including nested ones",
  {
    agent: "agents: [lead]\ntools: []",
    cast: {
      lead: "agents: [coder, helper]\ntools: []\nworkspace: worktree\npermissions: { deny: ['Edit(keys/**)'] }",
      coder: "workspace: worktree",
      helper: "",
    },
    config: "permissions: { allow: [Write, Bash] }\nworktrees: { merge: auto }\n",
    script: roles({
      tester: turns({ calls: [delegate("lead")] }),
      lead: turns({ calls: [delegate("coder")] }, { calls: [delegate("helper")] }),
      coder: turns({
        calls: [
          write("secrets/x", "x"),
          write("keys/x", "x"),
          bash("echo x > ../../../keys/y"),
          write("ok", "x"),
        ],
      }),
      helper: turns({ calls: [write("secrets/y", "y"), write("fine", "y")] }),
    }),
  },
  async (world) => {
    repository(world);
    const deny = [`Write(${world.folder}/secrets/**)`];
    const runId = await world.run("see to it", { permissions: { allow: [], ask: [], deny } });
    await world.settled(runId);
    const childrenOf = async (parent: string) =>
      payloadsOf(await world.events(parent), "CHILD_RUN_STARTED").map(({ child_run_id }) => child_run_id);
    const [lead] = await childrenOf(runId);
    const [coder, helper] = await childrenOf(lead!);
    const rule = `run deny Write(${world.folder}/secrets/**)`;
    expect(resultsRead(await world.events(coder!))).toEqual([
      `Not allowed (${rule}). Do it another way.`,
      "Not allowed (ancestor lead deny Edit(keys/**)). Do it another way.",
      "Not allowed (ancestor lead deny Edit(keys/**)). Do it another way.",
      "created ok (1 line)",
    ]);
    expect(resultsRead(await world.events(helper!))[0]).toBe(`Not allowed (${rule}). Do it another way.`);
    expect(existsSync(join(world.folder, "secrets"))).toBe(false);
    expect(existsSync(join(world.folder, "keys"))).toBe(false);
    expect(existsSync(join(world.folder, "ok"))).toBe(true);
    expect(existsSync(join(world.folder, "fine"))).toBe(true);
  },
);

const nested = {
  agent: "agents: [lead]\ntools: []",
  cast: { lead: "agents: [coder]\ntools: []\nworkspace: worktree", coder: "workspace: worktree" },
  config: "permissions: { allow: [Write], ask: [Bash] }\nworktrees: { merge: auto }\n",
  script: roles({
    tester: turns({ calls: [delegate("lead")] }),
    lead: turns({ calls: [delegate("coder")] }),
    coder: turns({ calls: [write("half.txt", "half\n")] }, { calls: [bash("touch done.txt")] }),
  }),
};

scenario("[D6] a nested worktree is kept until its tree has ended", nested, async (world) => {
  const git = repository(world);
  const runId = await world.run("see to it");
  await world.settled(runId);
  const childOf = async (parent: string) =>
    payloadsOf(await world.events(parent), "CHILD_RUN_STARTED")[0]!.child_run_id;
  const lead = await childOf(runId);
  const coder = await childOf(lead);
  const place = [".cadre", "worktrees", lead, ".cadre", "worktrees", coder];
  await checkOnRuns(world.runtime.parts);
  expect(readFileSync(join(world.folder, ...place, "half.txt"), "utf8"), "it is at work there").toBe(
    "half\n",
  );

  const [item] = await openApprovalIds(world, coder);
  await decideApproval(item!, { decision: "approve" }, "maria", world.runtime.people);
  await world.seen(runId, "RUN_COMPLETED");
  expect(existsSync(join(world.folder, "half.txt"))).toBe(true);
  expect(existsSync(join(world.folder, "done.txt"))).toBe(true);
  expect(git("branch", "--list", "cadre/*")).toBe("");
});

scenario(
  "[D6] worktrees of unknown runs are kept, because they belong to another store",
  { ...nested, script: turns() },
  async (world) => {
    repository(world);
    const planned = await world.runtime.parts.worktrees.plan(world.folder, "another");
    if (!("worktree" in planned)) throw new Error(planned.problem);
    await world.runtime.parts.worktrees.open(planned.worktree);
    writeFileSync(join(planned.workspace, "half.txt"), "half\n");
    await checkOnRuns(world.runtime.parts);
    expect(readFileSync(join(planned.workspace, "half.txt"), "utf8")).toBe("half\n");
  },
);
