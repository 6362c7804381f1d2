// The sizes of the steps of real runs: characters of the model's text, of its calls, of their results, and of what a person
// said before. `CADRE_TRAJECTORIES` names a file of recorded conversations (OpenAI's chat format, as in tau-bench). Without
// it, the committed table is used; `node bench/sim/sizes.ts > bench/sim/sizes.txt` creates that table from such a file.

import { readFileSync } from "node:fs";

export interface Step {
  said: number;
  asked: number;
  answered: number;
  /** 0 if no person spoke. */
  heard: number;
}

export function readSizes(recorded = process.env["CADRE_TRAJECTORIES"]): Step[][] {
  return recorded ? sizesOf(readFileSync(recorded, "utf8")) : parse(readFileSync(TABLE, "utf8"));
}

const TABLE = new URL("sizes.txt", import.meta.url);

interface Message {
  role: string;
  content?: string | null;
  tool_calls?: { function: { arguments: string } }[] | null;
}

function sizesOf(text: string): Step[][] {
  return (JSON.parse(text) as { traj: Message[] }[]).map(({ traj }) => {
    const steps: Step[] = [];
    let heard = 0;
    for (const { role, content, tool_calls } of traj) {
      const length = content?.length ?? 0;
      if (role === "user") heard += length;
      if (role === "tool" && steps.length > 0) steps.at(-1)!.answered += length;
      if (role !== "assistant") continue;
      const asked = (tool_calls ?? []).reduce((sum, call) => sum + call.function.arguments.length, 0);
      steps.push({ said: length, asked, answered: 0, heard });
      heard = 0;
    }
    return steps;
  });
}

/** One line per run, one word per step. */
const parse = (text: string): Step[][] =>
  text
    .trim()
    .split("\n")
    .map((line) =>
      line.split(" ").map((word) => {
        const [said = 0, asked = 0, answered = 0, heard = 0] = word.split("/").map(Number);
        return { said, asked, answered, heard };
      }),
    );

if (import.meta.main)
  for (const steps of readSizes())
    console.log(
      steps.map(({ said, asked, answered, heard }) => [said, asked, answered, heard].join("/")).join(" "),
    );
