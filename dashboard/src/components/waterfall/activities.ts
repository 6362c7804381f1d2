// How each activity looks and is called: a colour, a pattern and a word, so that none of them is needed alone.

import type { Activity } from "../../../../src/projections/views/waterfall.ts";

export interface ActivityLook {
  word: string;
  /** In the sentence on top: `71 % waiting for a person`. */
  share: string;
  fill: string;
}

export const LOOKS: Record<Activity, ActivityLook> = {
  model: { word: "Model", share: "in models", fill: "url(#w-model)" },
  tool: { word: "Tool", share: "in tools", fill: "url(#w-tool)" },
  person: { word: "Waits for a person", share: "waiting for a person", fill: "url(#w-person)" },
  provider: {
    word: "Waits for the provider",
    share: "waiting for the provider",
    fill: "url(#w-provider)",
  },
  child: { word: "Waits for children", share: "waiting for children", fill: "url(#w-child)" },
  timer: { word: "Waits for a time", share: "waiting for a set time", fill: "url(#w-timer)" },
  queued: { word: "Queued", share: "queued", fill: "url(#w-queued)" },
  lost: { word: "A process ended in here", share: "lost with a process that ended", fill: "url(#w-lost)" },
};
