// `${include:file}` in a prompt, resolved once when the agent is loaded. A file outside the agents folder is never
// read, links followed; a cycle is an error that prints its path.

import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import type { Problem } from "../config/problem.ts";
import type { ParsedAgent } from "./parse.ts";

const INCLUDE = /\$\{include:([^}\n]*)\}/g;
const MAX_TEXT = 1_000_000;
const MAX_INCLUDES = 200;

/** `path` is where the agent's file lies, `root` the agents folder that its includes stay in. */
export async function resolveIncludes(parsed: ParsedAgent, path: string, root: string): Promise<ParsedAgent> {
  if (!parsed.body.includes("${include:")) return parsed;
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
      // A fault further in is reported where the agent's own file pulls it in: that is the line a person can act on.
      else
        result += await expand(read.text, [...trail, read.path], (_, message) =>
          report(match.index, message),
        );
      if (result.length > MAX_TEXT) report(match.index, "includes make the prompt larger than 1 MB");
      if (++count > MAX_INCLUDES) report(match.index, `more than ${MAX_INCLUDES} includes`);
      // Going on after a fault would let a tree of includes read without end.
      if (problems.length > 0) return "";
    }
    return result + text.slice(last);
  };
  const body = await expand(parsed.body, [await realpath(path)], (at, message) => {
    if (problems.length > 0) return;
    const before = parsed.body.slice(0, at).split("\n");
    const line = parsed.bodyLine + before.length - 1;
    const column = before.at(-1)!.length + 1;
    problems.push({ file: parsed.file, line, column, code: "BAD_INCLUDE", severity: "error", message });
  });
  return { ...parsed, body, problems: [...parsed.problems, ...problems] };
}

type Included = { path: string; text: string } | { problem: string };

async function readInclude(name: string, trail: readonly string[], root: string): Promise<Included> {
  try {
    const folder = await realpath(root);
    const path = await realpath(resolve(dirname(trail.at(-1)!), name));
    if (!path.startsWith(folder + sep))
      return { problem: `include \`${name}\` lies outside the agents folder` };
    if (trail.includes(path)) {
      const names = [...trail.slice(trail.indexOf(path)), path].map((step) => relative(folder, step));
      return { problem: `includes run in a circle: ${names.join(" → ")}` };
    }
    const { size } = await stat(path);
    if (size > MAX_TEXT) return { problem: `include \`${name}\` is larger than 1 MB` };
    const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    return { path, text: text.trimEnd() };
  } catch {
    return { problem: `include \`${name}\` cannot be read` };
  }
}
