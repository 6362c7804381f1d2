import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { oracleTools } from "../../../test/support/oracle.ts";
import { delegate, payloadsOf, roles, scenario, turns } from "../../../test/support/scenario.ts";
import type { World } from "../../../test/support/world.ts";
import { cancelRun } from "./person-commands.ts";
import { type UndoRequest, undoRun } from "./undo.ts";

const write = (path: string, content: string) => ({ tool: "Write", input: { path, content } });
const edit = (path: string, old_string: string, new_string: string) => ({
  tool: "Edit",
  input: { path, old_string, new_string },
});
const bash = (command: string) => ({ tool: "Bash", input: { command } });

const open = { config: "permissions: { allow: [Write, Edit, Bash] }\n" };

const undo = ({ runtime }: World, runId: string, request: UndoRequest = {}) =>
  undoRun(runId, request, "ann", runtime.people);

const text = (world: World, path: string): string => readFileSync(join(world.folder, path), "utf8");
const has = (world: World, path: string): boolean => existsSync(join(world.folder, path));

function put(world: World, path: string, content: string): void {
  mkdirSync(dirname(join(world.folder, path)), { recursive: true });
  writeFileSync(join(world.folder, path), content);
}

/** The files of the project with their contents and modes, except Cadre's own. */
function filesOf(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (path === ".cadre" || path === ".git" || path === "effects.log") continue;
    const whole = join(folder, path);
    if (entry.isDirectory()) Object.assign(found, { [path]: "folder" }, filesOf(folder, path));
    else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(whole)}`;
    else found[path] = `${(statSync(whole).mode & 0o777).toString(8)} ${readFileSync(whole, "base64")}`;
  }
  return found;
}

scenario(
  "[26.15] undo puts the files of a tree back, with the changes of children and of shell commands",
  {
    ...open,
    agent: "agents: [coder]",
    cast: { coder: "" },
    files: { "a.txt": "a\n", "b/c.txt": "c\n", "b/d.txt": "d\n", "old.bin": "\u0000\u0001" },
    script: roles({
      tester: turns(
        { calls: [write("a.txt", "A\n"), write("new/deep/e.txt", "e\n")] },
        { calls: [delegate("coder")] },
        { calls: [bash("mv b moved && rm old.bin && mkdir empty && ln -s a.txt link && chmod +x a.txt")] },
      ),
      coder: turns({ calls: [bash("echo more >> a.txt")] }, { calls: [edit("b/c.txt", "c", "C")] }),
    }),
  },
  async (world) => {
    const before = filesOf(world.folder);
    const runId = await world.run("work");
    const { end } = await world.settled(runId);
    expect(end).toMatchObject({ status: "completed" });
    expect(text(world, "moved/c.txt")).toBe("C\n");
    const plan = await undo(world, runId, { dryRun: true });
    expect(plan.files.filter(({ status }) => status !== "undo")).toEqual([]);
    expect(text(world, "a.txt")).toBe("A\nmore\n");
    const done = await undo(world, runId);
    expect(done.files.map(({ path }) => path).toSorted()).toEqual(
      plan.files.map(({ path }) => path).toSorted(),
    );
    expect(filesOf(world.folder)).toEqual(before);
    expect(done.lasting.map(({ text }) => text)).toEqual([
      "Run: mv b moved && rm old.bin && mkdir empty && ln -s a.txt link && chmod +x a.txt",
      "Run: echo more >> a.txt",
    ]);
    const again = await undo(world, runId);
    expect(again.files.every(({ status }) => status === "done")).toBe(true);
  },
);

scenario(
  "[26.15] RUN#SEQ takes back only what came after the event, and a second undo goes back further",
  {
    ...open,
    files: { "a.txt": "0\n" },
    script: turns({ calls: [write("a.txt", "1\n")] }, { calls: [bash("echo 2 > a.txt; echo x > x.txt")] }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.settled(runId);
    const first = (await world.events(runId)).find(({ type }) => type === "TOOL_RESULT")!;
    await undo(world, runId, { seq: first.seq });
    expect(text(world, "a.txt")).toBe("1\n");
    expect(has(world, "x.txt")).toBe(false);
    await undo(world, runId);
    expect(text(world, "a.txt")).toBe("0\n");
    await expect(undo(world, runId, { seq: 999 })).rejects.toThrow("has no event 999");
  },
);

scenario(
  "[26.15] what a person changed since is kept and shown as a conflict",
  {
    ...open,
    files: { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" },
    script: turns({ calls: [bash("for f in a b c; do echo agent > $f.txt; done; echo n > d.txt")] }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.settled(runId);
    put(world, "a.txt", "a person's words\n");
    put(world, "d.txt", "a person's file now\n");
    rmSync(join(world.folder, "b.txt"));
    const { files } = await undo(world, runId);
    expect(Object.fromEntries(files.map(({ path, status }) => [path, status]))).toEqual({
      "a.txt": "conflict",
      "b.txt": "conflict",
      "c.txt": "undo",
      "d.txt": "conflict",
    });
    expect(text(world, "a.txt")).toBe("a person's words\n");
    expect(text(world, "d.txt")).toBe("a person's file now\n");
    expect(has(world, "b.txt")).toBe(false);
    expect(text(world, "c.txt")).toBe("c\n");
  },
);

scenario(
  "[26.15] a file that usually holds keys is neither stored nor put back, and a file in .gitignore is left alone",
  {
    ...open,
    files: {
      "secrets.yaml": "key: before\n",
      ".gitignore": "out\n",
      "out/x.js": "built\n",
      "go.sh": "echo key: after > secrets.yaml; echo again > out/x.js; rm .gitignore\n",
    },
    script: turns({ calls: [bash("sh go.sh")] }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.settled(runId);
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    const hash = createHash("sha256").update("key: before\n").digest("hex");
    expect(JSON.stringify(result)).not.toContain(hash);
    expect(await world.runtime.store.blobs.get(`f${hash}`)).toBeUndefined();
    const { files } = await undo(world, runId);
    expect(files).toEqual([
      { path: ".gitignore", status: "undo", action: "brings_back" },
      { path: "secrets.yaml", status: "unkept" },
    ]);
    expect(text(world, "secrets.yaml")).toBe("key: after\n");
    expect(text(world, "out/x.js")).toBe("again\n");
  },
);

scenario(
  "[26.15] a run at work is not undone; a paused run is, and its agent is told",
  {
    ...open,
    files: { "a.txt": "a\n" },
    config: "permissions: { allow: [Write], ask: [Bash] }\n",
    script: turns({ calls: [write("a.txt", "A\n")] }, { calls: [bash("touch b.txt")] }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.settled(runId);
    const { files } = await undo(world, runId);
    expect(files).toEqual([{ path: "a.txt", status: "undo", action: "restores" }]);
    expect(text(world, "a.txt")).toBe("a\n");
    const told = payloadsOf(await world.events(runId), "CONTEXT_ADDED").map((note) => note.text);
    expect(told).toEqual(["ann took back changes of 1 file: a.txt. Read a file again before you change it."]);
    await world.runtime.store.runs.cancel(runId, { by: "ann" });
  },
);

scenario(
  "[26.15] the work of a child in a worktree is taken back where it was merged, and the merge is listed",
  {
    config: `${open.config}worktrees: { merge: auto }\n`,
    agent: "agents: [coder]\ntools: []",
    cast: { coder: "workspace: worktree" },
    script: roles({
      tester: turns({ calls: [delegate("coder")] }),
      coder: turns({ calls: [write("one.txt", "1\n"), bash("echo 2 >> a.txt")] }),
    }),
  },
  async (world) => {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: world.folder, encoding: "utf8" });
    put(world, "a.txt", "1\n");
    put(world, ".gitignore", ".cadre\neffects.log\nhome\n");
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "first");
    const before = filesOf(world.folder);
    const runId = await world.run("work");
    await world.settled(runId);
    expect(text(world, "a.txt")).toBe("1\n2\n");
    const { lasting } = await undo(world, runId);
    expect(filesOf(world.folder)).toEqual(before);
    expect(lasting.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^Merge \w{12} stays in git's history: `git revert -m 1 \w{12}`/),
    );
  },
);

scenario(
  "[26.15] the earlier versions of files are blobs that the tree needs, so a prune keeps them as long as the tree",
  {
    ...open,
    files: { "a.txt": "the first words\n" },
    script: turns({ calls: [write("a.txt", "A\n")] }),
  },
  async (world) => {
    const runId = await world.run("work");
    await world.settled(runId);
    await world.restart();
    const { store } = world.runtime;
    await store.runs.prune({ status: ["failed"] });
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    const { blob } = result!.changes!.paths[0]!.before as { blob: string };
    expect(Buffer.from((await store.blobs.get(blob))!, "base64").toString()).toBe("the first words\n");
    await store.runs.prune({ root: runId });
    expect(await store.blobs.get(blob)).toBeUndefined();
  },
);

scenario(
  "[26.15] [P4] a call that is cancelled while its files are read does not begin",
  { ...open, script: turns({ calls: [write("a.txt", "new")] }, { text: "done" }) },
  async (world) => {
    const { parts } = world.runtime;
    const reading = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const { watch } = parts.files;
    parts.files.watch = async (...asked) => {
      reading.resolve();
      await cancelled.promise;
      return await watch(...asked);
    };
    const runId = await world.run("write it");
    await reading.promise;
    await cancelRun(runId, "ann", undefined, world.runtime.people);
    cancelled.resolve();
    const { end } = await world.settled(runId);
    expect(end?.status).toBe("cancelled");
    expect(payloadsOf(await world.events(runId), "TOOL_STARTED")).toEqual([]);
    expect(has(world, "a.txt")).toBe(false);
  },
);

scenario(
  "[26.15] the tool of a service does not have the workspace read",
  {
    more: [oracleTools("/dev/null")[2]!].map((tool) => ({
      ...tool,
      name: "refund",
      reaches: ["network", "files"] as const,
    })),
    agent: "tools: [refund]",
    config: "permissions: { allow: [refund] }\n",
    script: turns({ calls: [{ tool: "refund", input: { what: "7" } }] }, { text: "done" }),
  },
  async (world) => {
    let isRead = false;
    const { files } = world.runtime.parts;
    files.watch = async () => {
      isRead = true;
      return async () => undefined;
    };
    await world.settled(await world.run("refund it"));
    expect(isRead).toBe(false);
  },
);
