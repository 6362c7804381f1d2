// Explains why a run is in its state, and what its answer is based on, in the words of the terminal and the page.

import { hasEnded } from "../folds/run-state.ts";
import type { Provenance } from "../views/provenance.ts";
import type { Why } from "../views/why.ts";
import { plural } from "./format.ts";

export const FIRST_CAUSE = "First cause";
export const NEXT_STEPS = "What you can do now";
export const CAUSES = "What led to it, back to the task";

export const chainTitle = ({ first }: Pick<Why, "first">): string => (first ? "How it spread" : CAUSES);

/** Formats the time of an event or of a run's end. For a run that has not ended, the word `since` precedes the time. */
export const sinceText = ({ seq, status, since }: Why, format: (ts: number) => string): string =>
  seq !== undefined || hasEnded(status) ? format(since) : `since ${format(since)}`;

export const NO_SOURCE = "No source found in the journal";
export const TAINTED_ACTIONS = "Actions taken after untrusted input";

/** Sentences about the parts of an answer that were not checked. */
export const unreadTexts = ({ sentences, sources }: Provenance["unread"]): string[] => [
  ...(sentences === 0 ? [] : [`${plural(sentences, "sentence")} not checked: the answer is too long.`]),
  ...(sources === 0 ? [] : [`${plural(sources, "source")} not read to the end: too long.`]),
];
