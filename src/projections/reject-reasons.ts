// U26: why not, in words that the agent reads. Each is one key away, in the browser and at a terminal.

export const REJECT_REASONS = [
  { label: "Not needed", note: "This is not needed. Go on without it." },
  { label: "Another way", note: "This is the wrong way. Find another one." },
  { label: "Too risky", note: "This is too risky. Find a safer way." },
  { label: "Wrong place", note: "This is the wrong file or place. Look again where it belongs." },
  { label: "Ask first", note: "Ask me first what I want before you try something like this again." },
] as const;

/** What somebody typed as a reason: `3` is the third of them, anything else is their own words. */
export const rejectionNote = (typed: string): string => REJECT_REASONS[Number(typed) - 1]?.note ?? typed;
