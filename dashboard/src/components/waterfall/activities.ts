// Each activity has a colour, a pattern and a word, so that none of them is needed alone.

import type { Activity } from "../../../../src/projections/views/waterfall.ts";

export interface ActivityLook {
  word: string;
  /** Phrase in the summary, as in `71 % waiting for a person`. */
  share: string;
  fill: string;
}

export const LOOKS: Record<Activity, ActivityLook> = {
  model: { word: "Model", share: "in models", fill: "url(#w-model)" },
  tool: { word: "Tool", share: "in tools", fill: "url(#w-tool)" },
  person: { word: "Waiting for a person", share: "waiting for a person", fill: "url(#w-person)" },
  provider: {
    word: "Waiting for the provider",
    share: "waiting for the provider",
    fill: "url(#w-provider)",
  },
  child: { word: "Waiting for children", share: "waiting for children", fill: "url(#w-child)" },
  timer: { word: "Waiting for a timer", share: "waiting for a timer", fill: "url(#w-timer)" },
  queued: { word: "Queued", share: "queued", fill: "url(#w-queued)" },
  lost: { word: "Lost in a crash", share: "lost in a crash", fill: "url(#w-lost)" },
};
