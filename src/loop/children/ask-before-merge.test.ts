import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  delegate,
  payloadsOf,
  promptOf,
  resultsRead,
  roles,
  runScenario,
  type ScenarioOptions,
  scenario,
  turns,
} from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import type { EventType } from "../../journal/events.ts";
import { openItems } from "../../projections/folds/approvals.ts";
import { cancelRun, type Decision, decideApproval } from "../commands/person-commands.ts";
import { undoRun } from "../commands/undo.ts";

const write = (path: string, content: string) => ({ tool: "Write", input: { path, content } });

const config = "permissions: { allow: [Write] }\n";

type Git = (...args: string[]) => string;

function repository(world: World): Git {
  const git: Git = (...args) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
      cwd: world.folder,
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.org");
  writeFileSync(join(world.folder, "a.txt"), "a\n");
  writeFileSync(join(world.folder, ".gitignore"), ".cadre\neffects.log\nhome\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  return git;
}

const itemsOf = async (world: World, runId: string) => openItems(await world.state(runId));

async function decide(world: World, runId: string, decision: Decision): Promise<void> {
  const [item] = await itemsOf(world, runId);
  await decideApproval(item!.id, decision, "maria", world.runtime.people);
}

const has = (world: World, path: string): boolean => existsSync(join(world.folder, path));

/** A lead in the folder of the project, with a coder in a worktree. */
const shared: ScenarioOptions = {
  config,
  agent: "agents: [coder]\ntools: []",
  cast: { coder: "workspace: worktree" },
  script: roles({
    tester: turns({ calls: [delegate("coder", "one")] }),
    coder: turns({ calls: [write("one.txt", "one\n"), write("a.txt", "A\n")] }),
  }),
};

scenario(
  "[26.8] before the work of a child reaches the folder of the project, a person sees the diff; a yes merges it",
  shared,
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [item] = await itemsOf(world, runId);
    expect(item).toMatchObject({ kind: "tool", tool: "Merge", input: { files: ["a.txt", "one.txt"] } });
    expect(item!.preview).toContain("-a\n+A\n");
    expect(item!.preview).toContain("+one");
    expect(git("status", "--porcelain")).toBe("");
    expect(has(world, "one.txt")).toBe(false);

    await decide(world, runId, { decision: "approve" });
    await world.seen(runId, "RUN_COMPLETED");
    expect(readFileSync(join(world.folder, "a.txt"), "utf8")).toBe("A\n");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("log", "-1", "--format=%an %ae")).toBe("Ann ann@example.org\n");
    expect(git("log", "-1", "--format=%b")).toContain("Co-authored-by: Cadre");
    expect(git("branch", "--list", "cadre/*")).toBe("");
    expect(JSON.stringify(promptOf(await world.events(runId)))).toContain(
      "Its work is merged here: a.txt, one.txt.",
    );
  },
);

scenario(
  "[26.8] a rejected merge leaves the folder as it is, and tells the parent the branch and the reason",
  shared,
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    await decide(world, runId, { decision: "reject", note: "use tabs" });
    await world.seen(runId, "RUN_COMPLETED");
    expect(git("status", "--porcelain")).toBe("");
    expect(has(world, "one.txt")).toBe(false);
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    const [left] = ended!.result.unmerged ?? [];
    expect(left).toMatchObject({ agent: "coder", files: ["a.txt", "one.txt"] });
    expect(left!.detail).toContain("Not merged: maria rejected it: use tabs.");
    expect(git("show", `${left!.branch}:one.txt`)).toBe("one\n");
    expect(JSON.stringify(promptOf(await world.events(runId)))).toContain("maria rejected it: use tabs");
  },
);

scenario(
  "[26.8] work that changes after the question is shown again before it is merged",
  shared,
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    const [child] = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
    const folder = join(world.folder, ".cadre", "worktrees", child!.child_run_id);
    writeFileSync(join(folder, "evil.txt"), "evil\n");
    await decide(world, runId, { decision: "approve" });
    await expect.poll(async () => (await itemsOf(world, runId))[0]?.round).toBe(2);
    const [again] = await itemsOf(world, runId);
    expect(again!.preview).toContain("+evil");
    expect(has(world, "one.txt")).toBe(false);
    await decide(world, runId, { decision: "approve" });
    await world.seen(runId, "RUN_COMPLETED");
    expect(has(world, "evil.txt")).toBe(true);
    expect(git("status", "--porcelain")).toBe("");
  },
);

scenario(
  "[26.8] a run without a person keeps the work on its branch if its policy is to reject",
  { ...shared, config: `${config}approvals: { unattended: reject }\n` },
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it", { attended: false });
    await world.seen(runId, "RUN_COMPLETED");
    const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
    expect(ended!.result.unmerged?.[0]?.detail).toContain("nobody is there to approve it");
    expect(git("status", "--porcelain")).toBe("");
  },
);

/** A lead in a worktree of its own: the whole tree works there. */
const tree: ScenarioOptions = {
  config,
  agent:
    "agents: [coder]\ntools: [Write]\nworkspace: worktree\ndelegation: { mode: parallel, maxParallel: 2 }",
  cast: { coder: "workspace: worktree" },
  script: roles({
    tester: turns(
      { calls: [delegate("coder", "one"), delegate("coder", "two")] },
      { calls: [write("lead.txt", "lead\n")] },
    ),
    coder: ({ turn, task }) =>
      turn === 1 ? { calls: [write(`${task}.txt`, `${task}\n`)] } : { text: `wrote ${task}` },
  }),
};

scenario(
  "[26.8] a root in a worktree asks once, at its end, with one diff for the whole tree; undo takes it back",
  tree,
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    const items = await itemsOf(world, runId);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      tool: "Merge",
      input: { into: world.folder, files: ["lead.txt", "one.txt", "two.txt"] },
    });
    expect(has(world, "one.txt"), "nothing reaches the folder before the yes").toBe(false);
    expect((await world.runtime.store.runs.get(runId))!.workspace, "it belongs to its project").toBe(
      world.folder,
    );

    await decide(world, runId, { decision: "approve" });
    await world.seen(runId, "RUN_COMPLETED");
    for (const file of ["lead", "one", "two"])
      expect(readFileSync(join(world.folder, `${file}.txt`), "utf8")).toBe(`${file}\n`);
    expect(git("log", "--first-parent", "--format=%h").trim().split("\n")).toHaveLength(2);
    await expect.poll(() => git("branch", "--list", "cadre/*")).toBe("");
    expect(has(world, join(".cadre", "worktrees", runId))).toBe(false);
    expect(git("status", "--porcelain")).toBe("");

    const undone = await undoRun(runId, {}, "ann", world.runtime.people);
    expect(undone.files.map(({ path }) => path)).toEqual(["lead.txt", "one.txt", "two.txt"]);
    expect(has(world, "one.txt")).toBe(false);
  },
);

scenario(
  "[26.8] `merge: squash` adds the work of the tree as one ordinary commit of the person, and leaves no branch",
  { ...tree, config: `${config}worktrees: { merge: squash }\n` },
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    await decide(world, runId, { decision: "approve" });
    await world.seen(runId, "RUN_COMPLETED");
    expect(git("log", "--format=%an|%s|%P").split("\n")[0]).toMatch(/^Ann\|tester: done\|\w{40}$/);
    expect(git("log", "--format=%h").trim().split("\n")).toHaveLength(2);
    await expect.poll(() => git("branch", "--list", "cadre/*")).toBe("");
    expect(has(world, "two.txt")).toBe(true);
    const { lasting } = await undoRun(runId, { dryRun: true }, "ann", world.runtime.people);
    expect(lasting.map(({ text }) => text).join()).toMatch(/`git revert \w+`/);
  },
);

for (const [merge, kept] of [
  ["auto", []],
  ["branch", ["one.txt", "lead.txt"]],
] as const)
  scenario(
    `[26.8] with \`merge: ${merge}\`, no person is asked about the work of a tree`,
    { ...tree, config: `${config}worktrees: { merge: ${merge} }\n` },
    async (world) => {
      const git = repository(world);
      const runId = await world.run("see to it");
      await world.seen(runId, "RUN_COMPLETED");
      expect(has(world, "one.txt")).toBe(merge === "auto");
      const [ended] = payloadsOf(await world.events(runId), "RUN_COMPLETED");
      expect(ended!.result.unmerged?.map(({ branch }) => branch) ?? []).toEqual(
        merge === "auto" ? [] : [`cadre/${runId}`],
      );
      for (const file of kept) expect(git("show", `cadre/${runId}:${file}`)).not.toBe("");
      expect(ended!.result.files_modified.length > 0).toBe(merge === "auto");
    },
  );

scenario(
  "[26.8] a message instead of a yes lets a root in a worktree go on, and it asks again at its next end",
  {
    ...tree,
    script: roles({
      tester: ({ turn }) =>
        turn === 1
          ? { calls: [write("lead.txt", "spaces\n")] }
          : turn === 3
            ? { calls: [write("more.txt", "more\n")] }
            : { text: "done" },
    }),
  },
  async (world) => {
    repository(world);
    const runId = await world.run("see to it", { sessionId: "s" });
    await world.settled(runId);
    const [first] = await itemsOf(world, runId);
    await world.runtime.say({ sessionId: "s", agent: "tester", text: "one more", from: "ann" });
    await expect.poll(async () => (await itemsOf(world, runId))[0]?.preview).toContain("+more");
    const [second] = await itemsOf(world, runId);
    expect(second!.id).not.toBe(first!.id);
    await decide(world, runId, { decision: "approve" });
    await world.seen(runId, "RUN_COMPLETED");
    expect(has(world, "more.txt")).toBe(true);
  },
);

scenario(
  "[26.8] the work of a cancelled tree stays on its branch, and the result names it",
  tree,
  async (world) => {
    const git = repository(world);
    const runId = await world.run("see to it");
    await world.settled(runId);
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    await world.seen(runId, "RUN_CANCELLED");
    const [ended] = payloadsOf(await world.events(runId), "RUN_CANCELLED");
    expect(ended!.result.unmerged).toMatchObject([{ branch: `cadre/${runId}` }]);
    expect(ended!.result.files_created).toEqual([]);
    expect(has(world, "one.txt")).toBe(false);
    expect(git("status", "--porcelain")).toBe("");
    await expect.poll(() => git("show", `cadre/${runId}:lead.txt`)).toBe("lead\n");
  },
);

scenario(
  "[26.8] an agent in a worktree is not started in a folder without git, and the error says why",
  { ...tree, script: turns() },
  async (world) => {
    await expect(world.run("see to it")).rejects.toThrow(
      /tester cannot be started in a worktree: .*no git repository/,
    );
    const git = repository(world);
    const fork = await world.run("see to it");
    await world.seen(fork, "RUN_COMPLETED");
    expect(resultsRead(await world.events(fork))).toEqual([]);
    await expect.poll(() => git("branch", "--list", "cadre/*")).toBe("");
  },
);

/** The process dies when it appends this event of the merge, right before or right after it is on disk. */
const CRASHES: [EventType, "before" | "after"][] = [
  ["TOOL_PROPOSED", "before"],
  ["TOOL_STARTED", "after"],
  ["TOOL_RESULT", "before"],
  ["TOOL_RESULT", "after"],
];

for (const [type, when] of CRASHES)
  test(`[26.8] a crash ${when} ${type} of a tree's merge: it is merged once, and the folder is clean`, async () => {
    let world: World | undefined;
    let hasDied = false;
    const options: ScenarioOptions = {
      ...tree,
      async intercept(append, send) {
        const isHere =
          append.events.some(
            (event) =>
              event.type === type &&
              (!("toolCallId" in event.payload) || event.payload.toolCallId === `merge/${append.runId}`),
          ) && (await world?.runtime.store.runs.get(append.runId))?.parentRunId === undefined;
        if (!isHere || hasDied || !world) return await send();
        hasDied = true;
        if (when === "before") {
          world.die();
          return await send();
        }
        const answer = await send();
        world.die();
        return answer;
      },
    };
    await runScenario(options, async (here) => {
      world = here;
      const git = repository(here);
      const runId = await here.run("see to it");
      const isApproved = type !== "TOOL_PROPOSED";
      if (isApproved) {
        await here.settled(runId);
        await decide(here, runId, { decision: "approve" });
      }
      await here.dead();
      await here.restart();
      if (!isApproved) {
        await here.settled(runId);
        expect(await itemsOf(here, runId)).toHaveLength(1);
        await decide(here, runId, { decision: "approve" });
      }
      await here.seen(runId, "RUN_COMPLETED");
      expect(git("status", "--porcelain")).toBe("");
      expect(git("log", "--first-parent", "--format=%h").trim().split("\n")).toHaveLength(2);
      for (const file of ["lead", "one", "two"]) expect(has(here, `${file}.txt`)).toBe(true);
    });
  });
