import { describeCall } from "../../../src/projections/views/timeline.ts";

interface Asked {
  kind: string;
  tool?: string | undefined;
  input?: unknown;
  detail?: string | undefined;
}

/** The title of a request to a person, in one line: a description of the call, or the run's question. */
export const approvalTitle = ({ kind, tool, input, detail }: Asked): string =>
  tool === undefined ? (detail ?? TITLES[kind] ?? kind) : describeCall(tool, input);

/** Titles of requests that have no text of their own. */
const TITLES: Record<string, string> = {
  question: "A question",
  budget: "The budget is used up",
  loop: "The agent repeats itself",
};
