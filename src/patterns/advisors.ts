// Advisors: asked all at once, with the agent's own input, before its first turn. What they say becomes part of the
// task; who fails or is late (F27) becomes a section that says so, and `require` decides whether that is enough.

import { baseName } from "../journal/definition.ts";
import type { EventBody } from "../journal/events.ts";
import { untrusted } from "../journal/untrusted.ts";
import type { ChildRun } from "../projections/child-runs.ts";
import type { Action, Ending, PatternRun } from "./action.ts";
import { answerText, requestText, withRequest } from "./opening.ts";
import type { Pattern, View } from "./pattern.ts";
import { type Place, placeOf, waitOrGiveUp } from "./place.ts";

export const advisors: Pattern = {
  key: "advisors",

  next(view, now): Action | undefined {
    const { state, definition } = view;
    if (state.advised) return undefined;
    const asked = definition.advisors!.agents.map((agent) => ({
      agent,
      place: placeOf(state, keyOf(agent)),
    }));
    const absent = asked.filter(({ place }) => place.type === "empty");
    if (absent.length > 0)
      return { type: "start-runs", runs: absent.map(({ agent }) => advisor(view, agent)) };
    const open = asked.flatMap(({ place }) => (place.type === "live" ? [place.child] : []));
    const required = requiredOf(view);
    const failed = asked.filter(({ place }) => hasFailed(place, state.closing));
    if (asked.length - failed.length < required)
      return { type: "end", ending: tooFew(asked.length, failed, required) };
    return (
      waitOrGiveUp(state, open, {
        timeout: definition.advisors!.timeout,
        now,
        late: "It took too long to advise.",
      }) ?? {
        type: "record",
        events: [advice(view, asked)],
      }
    );
  },
};

interface Asked {
  agent: string;
  place: Place;
}

const keyOf = (agent: string): string => `advisor/${agent}`;

/** S3-30: the same input as the agent's own. */
function advisor({ state }: View, agent: string): PatternRun {
  const { task, input } = state.start!;
  const before = state.opening && withRequest(state.start!, state.opening);
  return { key: keyOf(agent), trigger: "advisor", agent, task, input, before, told: state.team.heard };
}

/** S3-55. */
function requiredOf({ definition }: View): number {
  const { require, agents } = definition.advisors!;
  if (require === "all") return agents.length;
  return require === "any" ? 1 : Math.min(require, agents.length);
}

/** Who was cancelled because the run is closing might have answered: the reason must not change while it ends. */
function hasFailed(place: Place, closing: boolean): boolean {
  if (place.type === "late" || place.type === "refused") return true;
  return place.type === "failed" && !(closing && place.child.ended!.result.status === "cancelled");
}

function tooFew(advisors: number, failed: readonly Asked[], required: number): Ending {
  const why = failed.map(({ agent, place }) => `${baseName(agent)}: ${whyNot(place)}`).join(" ");
  const answers = advisors - failed.length;
  const summary = `Of ${advisors} advisors at most ${answers} can answer, and ${required} must. ${why}`;
  const cause = failed.flatMap(
    ({ place }) => ("child" in place ? place.child.ended?.result.first_cause : undefined) ?? [],
  );
  return { status: "failed", stopReason: "error", summary, cause: cause[0] };
}

/** S3-31. */
function advice({ state }: View, asked: readonly Asked[]): EventBody {
  const sections = asked.map(({ agent, place }) => `### From ${baseName(agent)}\n\n${saidAt(place)}`);
  const request = state.opening ?? requestText(state.start!);
  const text = [request, "## ANALYSIS GATHERED", ...sections].join("\n\n");
  return { type: "CONTEXT_ADDED", payload: { id: "advice", source: "advice", text, opening: true } };
}

/** What a run says of its failure may be its agent's last words: marked like any of them. */
function saidAt(place: Place): string {
  switch (place.type) {
    case "done":
      return marked(place.child, answerText(place.child.ended!.result));
    case "failed":
      return `(No advice. It ${howFailed(place.child)}:)\n\n${marked(place.child, place.child.ended!.summary)}`;
    default:
      return `(No advice. ${whyNot(place)})`;
  }
}

const marked = ({ agent, runId, nonce }: ChildRun, text: string): string =>
  untrusted(nonce, `${agent} ${runId}`, text);

const howFailed = ({ ended }: ChildRun): string =>
  ended!.result.status === "cancelled" ? "was cancelled" : "failed";

function whyNot(place: Place): string {
  switch (place.type) {
    case "late":
      return "It did not answer in time.";
    case "refused":
      return `It could not be started: ${place.why}`;
    case "failed":
      return `It ${howFailed(place.child)}: ${place.child.ended!.summary}`;
    default:
      return "";
  }
}
