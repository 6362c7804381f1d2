// A steps module in the project of someone who uses the package. Node runs it directly, and TypeScript finds its types.

import { type Steps, type StepsInput, tool } from "cadre";

export default function* ({ task }: StepsInput): Steps {
  const { output, isError } = yield* tool("Read", { path: "note.txt" });
  return isError ? "There is no note." : `${task}: ${String(output)}`;
}
