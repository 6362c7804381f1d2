// `${include:file}` in a prompt is resolved once, when the agent is loaded. A file outside the agents folder is never
// read, even through a link. A cycle is an error that shows its path.

import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import type { Problem } from "../config/problem.ts";
import { type ConfinedFile, nameBelow, readConfined } from "./files/read-confined.ts";

const INCLUDE = /\$\{include:([^}\n]*)\}/g;
const MAX_TEXT = 1_000_000;
const MAX_INCLUDES = 200;

interface Prompt {
  file: string;
  body: string;
  /** First line of the body in the file. */
  bodyLine: number;
  problems: Problem[];
}

/** `path`: the agent's file. `root`: the agents folder, which includes cannot leave. */
export async function resolveIncludes<T extends Prompt>(prompt: T, path: string, root: string): Promise<T> {
  if (!prompt.body.includes("${include:")) return prompt;
  const problems: Problem[] = [];
  let count = 0;
  const expand = async (text: string, trail: string[], report: (at: number, message: string) => void) => {
    let result = "";
    let last = 0;
    for (const match of text.matchAll(INCLUDE)) {
      result += text.slice(last, match.index);
      last = match.index + match[0].length;
      const read = await readInclude(match[1]!.trim(), trail, root);
      if ("problem" in read) report(match.index, read.problem);
      // A fault in an included file is reported at the include in the agent's own file, where a person can fix it.
      else
        result += await expand(read.text, [...trail, read.path], (_, message) =>
          report(match.index, message),
        );
      if (result.length > MAX_TEXT) report(match.index, "includes make the prompt larger than 1 MB");
      if (++count > MAX_INCLUDES) report(match.index, `more than ${MAX_INCLUDES} includes`);
      // Stop at the first fault, or a tree of includes could be read without end.
      if (problems.length > 0) return "";
    }
    return result + text.slice(last);
  };
  const body = await expand(prompt.body, [await realpath(path)], (at, message) => {
    if (problems.length > 0) return;
    const before = prompt.body.slice(0, at).split("\n");
    const line = prompt.bodyLine + before.length - 1;
    const column = before.at(-1)!.length + 1;
    problems.push({ file: prompt.file, line, column, code: "BAD_INCLUDE", severity: "error", message });
  });
  return { ...prompt, body, problems: [...prompt.problems, ...problems] };
}

async function readInclude(name: string, trail: readonly string[], root: string): Promise<ConfinedFile> {
  const folder = dirname(trail.at(-1)!);
  const read = await readConfined({ name, folder, root, within: "the agents folder" });
  if ("problem" in read) return { problem: `include \`${name}\` ${read.problem}` };
  if (!trail.includes(read.path)) return read;
  const circle = [...trail.slice(trail.indexOf(read.path)), read.path];
  const names = await Promise.all(circle.map((step) => nameBelow(step, root)));
  return { problem: `includes run in a circle: ${names.join(" → ")}` };
}
