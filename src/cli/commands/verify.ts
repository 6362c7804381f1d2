// `cadre verify RUN`: reads a run's journal and checks every link of its chain. `cadre verify FILE`: the same for a file
// that was exported, without a store.

import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPage, journalOfPage } from "../../api/tree-page.ts";
import { CadreError } from "../../errors.ts";
import { readTree } from "../../stores/tree-file.ts";
import { withClient } from "../connect.ts";
import { EXIT, type Invocation } from "../io.ts";
import { count } from "../view/format.ts";
import { jsonLine, plainLine } from "../view/plain.ts";

export async function verify(invocation: Invocation, given: string): Promise<number> {
  const { folder, io } = invocation;
  const file = resolve(io.cwd, given);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return verifyFile(invocation, file);
  const checked = await withClient({ folder, env: io.env }, (client) => client.verify(given));
  const { events, head, problem } = checked;
  return say(invocation, {
    checked: { runId: given, ...checked },
    whole: `${count(events, "event")}, chain ends in ${head}`,
    problem,
  });
}

async function verifyFile(invocation: Invocation, file: string): Promise<number> {
  try {
    const { root, version, events } = readTree(journalIn(await readFile(file, "utf8")));
    const runs = new Set(events.map(({ event }) => event.runId)).size;
    return say(invocation, {
      checked: { file, ok: true, runId: root, version, runs, events: events.length },
      whole: `${root}, ${count(runs, "run")}, ${count(events.length, "event")}, written by Cadre ${version}`,
    });
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    const problem = error.message.replace(" Nothing was changed.", "");
    return say(invocation, { checked: { file, ok: false, problem, ...error.details }, whole: "", problem });
  }
}

interface Checked {
  /** For programs. */
  checked: Record<string, unknown> & { ok: boolean };
  whole: string;
  problem?: string | undefined;
}

const journalIn = (text: string): string => (isPage(text) ? journalOfPage(text) : text);

function say({ json, screen }: Invocation, { checked, whole, problem }: Checked): number {
  const { ok } = checked;
  if (json) screen.line(jsonLine(checked));
  else if (ok) screen.line(`${screen.paint("green", "Whole")}: ${plainLine(whole)}`);
  else screen.line(`${screen.paint("red", "Not whole")}: ${plainLine(problem ?? "the chain is broken")}`);
  return ok ? EXIT.done : EXIT.failed;
}
