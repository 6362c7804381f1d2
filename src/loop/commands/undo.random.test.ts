// Undo on random trees, with edits by a person in between, and an undo that is cut off in the middle.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { delegate } from "../../../test/support/scenario.ts";
import { makeWorld } from "../../../test/support/world.ts";
import type { ScriptedTurn } from "../../models/scripted/script.ts";
import { undoRun } from "./undo.ts";

const TREES = 50;
const PATHS = ["a.txt", "b.txt", "d/c.txt", "d/e.txt", "d/f/g.txt", "new.txt", "n/m.txt"];

type Random = (below: number) => number;

/** A small generator of random numbers, so that a seed always gives the same tree. */
function randomOf(seed: number): Random {
  let state = seed + 0x9e3779b9;
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[random(items.length)]!;

/** The content of every file of the project with its mode, except Cadre's own files. */
function snapshot(folder: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, below))) {
    const path = below === "" ? name : `${below}/${name}`;
    if ([".cadre", "effects.log", "agents", "home", "cadre.yaml"].includes(path)) continue;
    const whole = join(folder, path);
    const stats = lstatSync(whole);
    if (stats.isDirectory()) for (const [each, text] of snapshot(folder, path)) found.set(each, text);
    else if (stats.isSymbolicLink()) found.set(path, `-> ${readlinkSync(whole)}`);
    else found.set(path, `${(statSync(whole).mode & 0o777).toString(8)} ${readFileSync(whole, "utf8")}`);
  }
  return found;
}

/** One call of an agent. Each writes words that occur nowhere else, so that every version of a file is different. */
function randomCall(random: Random, word: string): ScriptedTurn {
  const [path, other] = [pick(random, PATHS), pick(random, PATHS)];
  const bash = (command: string): ScriptedTurn => ({ calls: [{ tool: "Bash", input: { command } }] });
  switch (random(8)) {
    case 0:
    case 1:
      return { calls: [{ tool: "Write", input: { path, content: `${word}\n` } }] };
    case 2:
      return bash(`mkdir -p ${dirname(path)}; echo ${word} >> ${path}`);
    case 3:
      return bash(`rm -f ${path}`);
    case 4:
      return bash(`rm -rf d; mkdir empty-${word}`);
    case 5:
      return bash(`mkdir -p ${dirname(other)}; mv ${path} ${other} || true`);
    case 6:
      return bash(`chmod 755 ${path} || true; ln -s ${path} link-${word}`);
    default:
      return bash(`mv d dd-${word} || true; echo ${word} > z-${word}.txt`);
  }
}

interface Edits {
  /** The content that the person last wrote to a path. Undefined if the person deleted it. */
  last: Map<string, string | undefined>;
}

/** A person changes a file while no call is at work. */
function personEdit(folder: string, random: Random, word: string, { last }: Edits): void {
  const path = pick(random, PATHS);
  const whole = join(folder, path);
  try {
    if (random(5) === 0) {
      if (!lstatSync(whole, { throwIfNoEntry: false })?.isFile()) return;
      rmSync(whole);
      last.set(path, undefined);
      return;
    }
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, `person ${word}\n`);
    chmodSync(whole, 0o644);
    last.set(path, `644 person ${word}\n`);
  } catch {
    // An agent has put a file where a folder should be.
  }
}

class Killed extends Error {}

type Parts = Parameters<typeof undoRun>[3];

/** Does only the first steps of the undo, as if the process had been killed then. */
const killedAfter = ({ files, ids, store, toolFacts, wake }: Parts, steps: number): Parts => ({
  ...{ ids, store, toolFacts, wake },
  files: {
    ...files,
    async restore(workspace, all, options) {
      await files.restore(workspace, all.slice(0, steps), options);
      throw new Killed();
    },
  },
});

test(`[26.15] undo on ${TREES} random trees: the bytes are what they were, and no edit of a person is lost`, async () => {
  let random = randomOf(0);
  let words = 0;
  let edits: Edits = { last: new Map() };
  let steps = 0;
  const world = await makeWorld({
    config: "permissions: { allow: [Write, Edit, Bash] }\nlimits: { maxTurns: 60 }\n",
    agent: "agents: [coder]\ntools: [Write, Edit, Bash]",
    cast: { coder: "tools: [Write, Edit, Bash]" },
    script: (request) => {
      const word = `w${++words}`;
      if (random(3) === 0) personEdit(world.folder, random, word, edits);
      if (steps-- <= 0) return { text: "done" };
      if (request.agent === "tester" && random(3) === 0)
        return { calls: [delegate("coder", `part ${word}`)] };
      if (request.agent === "coder" && random(4) === 0) return { text: "my part is done" };
      return randomCall(random, word);
    },
  });
  try {
    for (let seed = 1; seed <= TREES; seed++) {
      random = randomOf(seed);
      edits = { last: new Map() };
      steps = 3 + random(6);
      for (const path of PATHS.slice(0, 5)) {
        mkdirSync(dirname(join(world.folder, path)), { recursive: true });
        rmSync(join(world.folder, path), { recursive: true, force: true });
        mkdirSync(dirname(join(world.folder, path)), { recursive: true });
        writeFileSync(join(world.folder, path), `tree ${seed} ${path}\n`);
      }
      const before = snapshot(world.folder);
      const runId = await world.run(`tree ${seed}`);
      await world.settled(runId);
      for (let left = random(3); left > 0; left--) personEdit(world.folder, random, `after${++words}`, edits);
      const parts = world.runtime.people;
      const why = `seed ${seed}: ${JSON.stringify([...edits.last])}`;
      await undoRun(runId, {}, "ann", killedAfter(parts, random(4))).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      await undoRun(runId, {}, "ann", parts);
      const after = snapshot(world.folder);
      for (const path of new Set([...before.keys(), ...after.keys(), ...edits.last.keys()])) {
        const wanted = edits.last.get(path);
        if (!edits.last.has(path)) expect([path, after.get(path)], why).toEqual([path, before.get(path)]);
        else if (wanted !== undefined) expect([path, after.get(path)], why).toEqual([path, wanted]);
        else expect([undefined, before.get(path)], `${why} ${path}`).toContain(after.get(path));
      }
    }
  } finally {
    await world.close();
  }
}, 300_000);
