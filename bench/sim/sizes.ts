// How large the steps of real runs are: characters that the model says, of its calls, of what they answer, and of what a
// person says before it. `CADRE_TRAJECTORIES` names a file of recorded conversations (OpenAI's chat format, as tau-bench has
// them); without it the committed table of sizes is read, which `node bench/sim/sizes.ts > bench/sim/sizes.txt` makes of one.

import { readFileSync } from "node:fs";

export interface Step {
  said: number;
  asked: number;
  answered: number;
  /** 0: nobody spoke. */
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

/** One run a line, one word a step. */
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
