// How each activity looks and is called: a colour, a pattern and a word, so that none of them is needed alone.

import type { Activity } from "../../../../src/projections/waterfall.ts";

export interface ActivityLook {
  word: string;
  /** In the sentence on top: `a person was waited for 71 %`. */
  share: string;
  fill: string;
}

export const LOOKS: Record<Activity, ActivityLook> = {
  model: { word: "Model", share: "models", fill: "url(#w-model)" },
  tool: { word: "Tool", share: "tools", fill: "url(#w-tool)" },
  person: { word: "Waits for a person", share: "a person was waited for", fill: "url(#w-person)" },
  provider: {
    word: "Waits for the provider",
    share: "the provider was waited for",
    fill: "url(#w-provider)",
  },
  child: { word: "Waits for children", share: "children", fill: "url(#w-child)" },
  timer: { word: "Waits for a time", share: "a set time was waited for", fill: "url(#w-timer)" },
  queued: { word: "Queued", share: "queued", fill: "url(#w-queued)" },
  lost: { word: "A process ended in here", share: "lost with a process", fill: "url(#w-lost)" },
};
