import type { PastDecisionView } from "../../../../src/api/client/types.ts";
import type { Tone } from "../../ui/badge.tsx";

export const DECISION_WORDS: Record<PastDecisionView["decision"], { word: string; tone: Tone }> = {
  approve: { word: "approved", tone: "good" },
  edit: { word: "changed and approved", tone: "info" },
  reject: { word: "rejected", tone: "bad" },
  answer: { word: "answered", tone: "plain" },
  expire: { word: "expired", tone: "muted" },
};
