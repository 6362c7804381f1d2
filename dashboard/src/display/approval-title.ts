import { describeCall } from "../../../src/projections/views/timeline.ts";

interface Asked {
  kind: string;
  tool?: string | undefined;
  input?: unknown;
  detail?: string | undefined;
}

/** What a person is asked about, in one line: the call, or the question in the run's own words. */
export const approvalTitle = ({ kind, tool, input, detail }: Asked): string =>
  tool === undefined ? (detail ?? TITLES[kind] ?? kind) : describeCall(tool, input);

/** For an item that carries no text of its own. */
const TITLES: Record<string, string> = {
  question: "A question",
  budget: "The budget is used up",
  loop: "The agent repeats itself",
};
