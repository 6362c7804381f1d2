import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { watchSeenFiles } from "./own-changes.ts";
import { fingerprintOf } from "./text-file.ts";

it("[25.10] if a command of the model changes a file that the model has read, the file still counts as read; a file that was changed earlier does not", async () => {
  await using folder = await tempWorkspace();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  for (const name of ["mine", "theirs", "same"]) write(name, "read");
  write("theirs", "changed by a person");
  const seenFiles = new Map(["mine", "theirs", "same", "gone"].map((path) => [path, fingerprintOf("read")]));
  const findChanges = await watchSeenFiles({ workspace: folder.path, seenFiles });
  write("mine", "changed by the command");
  write("theirs", "changed by the command");
  expect(await findChanges()).toEqual([
    { path: "mine", fingerprint: fingerprintOf("changed by the command") },
  ]);
});
