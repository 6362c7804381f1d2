import { expect, test } from "vitest";
import { childWords } from "./child-words.ts";

test("[S0-76] [S0-77] a child's badge names its role for the parent, at start and end", () => {
  const said = (...of: Parameters<typeof childWords>) => {
    const { start, what } = childWords(...of);
    return `${start} · ${what} COMPLETE`;
  };
  expect(said("delegation", "m1.0")).toBe("DELEGATING · DELEGATION COMPLETE");
  expect(said("best_of", "draft/2")).toBe("DRAFT 2 · DRAFT 2 COMPLETE");
  expect(said("best_of", "judge")).toBe("JUDGE · JUDGE COMPLETE");
  expect(said("team", "team/1/ann")).toBe("MEMBER OF ROUND 1 · MEMBER OF ROUND 1 COMPLETE");
  expect(said("route", "route")).toBe("ROUTED TO · ROUTE COMPLETE");
  expect(said("route", "fallback")).toBe("FALLBACK TO · FALLBACK COMPLETE");
  expect(said("handoff", "handoff")).toBe("HANDED TO · HANDOFF COMPLETE");
  expect(said("advisor", "advisor/legal")).toBe("ADVICE OF · ADVICE COMPLETE");
});
