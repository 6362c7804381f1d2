// `cadre demo`: plays examples/incident on a copy in a temporary folder. Everything is real but the model's words.

import { cp, mkdtemp, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInvocation, type Invocation, isAttended } from "../io.ts";
import { run } from "./run.ts";

const SOURCE = fileURLToPath(new URL("../../../examples/incident", import.meta.url));

export async function demo(invocation: Invocation): Promise<number> {
  const { screen, json } = invocation;
  const root = await realpath(await mkdtemp(join(tmpdir(), "cadre-demo-")));
  const folder = join(root, "incident");
  await cp(SOURCE, folder, {
    recursive: true,
    filter: (path) => !/^\.cadre$|\.(test|fixture)\.ts$/.test(basename(path)),
  });
  const yes = !isAttended(invocation);
  const task = (await readFile(join(folder, "task.txt"), "utf8")).trim();
  const say = (text: string): void => (json ? undefined : screen.line(screen.paint("dim", text)));
  say(`A demo in ${folder}: the service, its bug, its log and its tests are real; the model is scripted.`);
  if (yes) say("Nobody is at a terminal, so what it asks for is approved (--yes).");
  say("");
  return run(createInvocation(invocation.io, folder, json), ["oncall", task], { yes });
}
