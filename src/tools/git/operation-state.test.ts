import { execFileSync } from "node:child_process";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isHarmlessState } from "./operation-state.ts";
import { tempGit } from "./temp-git.fixture.ts";

it("[A90] [30.11] the state that git itself leaves at a conflict names no program; a changed one does", async () => {
  await using place = await tempGit();
  await place.git(["branch", "side"]);
  for (const branch of ["main", "side"]) {
    await place.git(["switch", "-q", branch]);
    for (const count of [1, 2]) await place.commit({ "a.txt": `${branch} ${count}\n` });
  }
  const operations = {
    "rebase-merge": ["rebase", "main"],
    "rebase-apply": ["rebase", "--apply", "main"],
    sequencer: ["cherry-pick", "--strategy=ort", "-Xignore-all-space", "main~1", "main"],
    BISECT_LOG: ["bisect", "start", "HEAD", "HEAD~1"],
  };
  const plants: Record<keyof typeof operations, string[]> = {
    "rebase-merge": [
      "echo 'exec evil' >> git-rebase-todo",
      "printf ' \\tx evil\\n' >> git-rebase-todo",
      "echo 'some-future-verb evil' >> git-rebase-todo",
      "mv git-rebase-todo ../todo; ln -s ../todo git-rebase-todo",
      "ln git-rebase-todo ../todo",
      "echo ../evil > strategy",
      "rm orig-head",
      "rm git-rebase-todo; mkdir git-rebase-todo",
      "mv ../rebase-merge ../other; ln -s other ../rebase-merge",
    ],
    "rebase-apply": ["echo --build-fake-ancestor=x > apply-opt", "rm last", "echo evil > strategy"],
    sequencer: [
      "printf '[options]\\n\\tstrategy = ../evil\\n' > opts",
      "printf '[options]\\n\\tstrategy = o\\\\\\nrt/../evil\\n' > opts",
      "printf '[options]\\n\\tSTRATEGY=evil\\n' > opts",
      "echo 'exec evil' > todo",
    ],
    BISECT_LOG: ["ln -sf x BISECT_LOG", "ln BISECT_LOG x"],
  };
  for (const [entry, start] of Object.entries(operations)) {
    await place.git(["checkout", "-q", "-f", "side"]);
    await place.git(start).catch(() => undefined);
    for (const plant of ["", ...plants[entry as keyof typeof plants]]) {
      const folder = join(place.path, "copies", entry, plant.replace(/\W+/g, ""));
      await cp(join(place.path, ".git", entry), join(folder, entry), { recursive: true });
      if (plant !== "")
        execFileSync("sh", ["-c", plant], { cwd: join(folder, entry === "BISECT_LOG" ? "." : entry) });
      expect(await isHarmlessState(folder, entry).catch(() => false), `${entry}: ${plant}`).toBe(
        plant === "",
      );
    }
    await rm(join(place.path, ".git", entry), { recursive: true });
  }
  expect(await isHarmlessState(join(place.path, ".git"), "refs")).toBe(false);
});
