// A module with steps in a project of somebody who has the package: Node runs it as it is, and TypeScript knows its types.

import { type Steps, type StepsInput, tool } from "cadre";

export default function* ({ task }: StepsInput): Steps {
  const { output, isError } = yield* tool("Read", { path: "note.txt" });
  return isError ? "There is no note." : `${task}: ${String(output)}`;
}
