// The flagship: SIGKILL at every boundary of a run, restart, drive to the end, compare (FAULTS §1.2).

import { describe, expect, it } from "vitest";
import { boundaries, inPool, liveThrough } from "./lives.ts";

const MINUTES = 60_000;
const names = await boundaries();

describe("a run that is killed", () => {
  it("passes the boundaries that this suite is about", () => {
    const text = names.join("\n");
    for (const what of [
      "append MODEL_CALL_STARTED",
      "append AGENT_THOUGHT",
      "append TOOL_PROPOSED",
      "append TOOL_STARTED",
      "append TOOL_RESULT",
      "append RUN_SUSPENDED",
      "append APPROVAL_DECIDED",
      "append RUN_RESUMED",
      "RUN_COMPLETED",
      "heartbeat",
      "acquire",
      "start",
      "look",
      "charge",
      "stamp",
    ]) {
      expect(text).toContain(`before ${what}`.replace("before RUN_COMPLETED", "RUN_COMPLETED"));
    }
  });

  it(
    `[F01][F02][F03][F04][F05] goes on from every one of its ${names.length} boundaries, with nothing done twice`,
    async () => {
      await inPool(names.map((_, index) => () => liveThrough(index + 1)));
    },
    10 * MINUTES,
  );

  it(
    "[F09] goes on when it is killed again while it recovers",
    async () => {
      await inPool(
        pairs().map(
          ([first, second]) =>
            () =>
              liveThrough(first, second),
        ),
      );
    },
    (process.env["CRASH_PAIRS"] === "all" ? 300 : 10) * MINUTES,
  );
});

/** A seeded sample; every pair with CRASH_PAIRS=all. */
function pairs(): [number, number][] {
  const all = names.flatMap((_, first) =>
    names.map((__, second): [number, number] => [first + 1, second + 1]),
  );
  if (process.env["CRASH_PAIRS"] === "all") return all;
  const step = Math.floor(all.length / 16);
  return Array.from({ length: 16 }, (_, index) => all[(index * step * 7 + 5) % all.length]!);
}
