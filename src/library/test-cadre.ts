// Cadre for tests of programs: the real runtime and the real store, in memory, with a clock that the test moves.

import { type Clock, systemClock } from "../clock.ts";
import { assembleRuntime } from "../runtime/assembly.ts";
import { assemblyOptions, type Cadre, type CadreOptions, openCadre } from "./create-cadre.ts";

export interface TestClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves the time ahead. Timers that are due fire within about a second. */
  advance(ms: number): void;
}

export interface TestCadre extends Cadre {
  readonly clock: TestClock;
}

/** Like `createCadre`. The store is in memory, nothing is written into the folder, and time stands still until the test moves the clock. */
export async function createTestCadre(options: Omit<CadreOptions, "store" | "drive">): Promise<TestCadre> {
  const given: CadreOptions = { ...options, store: ":memory:" };
  const clock = testClock();
  const assembly = await assembleRuntime({ ...assemblyOptions(given), clock });
  return { ...(await openCadre(assembly, given)), clock };
}

/** Only the calendar stands still. Durations are real, so the process still counts as alive after a jump of days. */
function testClock(start = Date.now()): Clock & TestClock {
  let now = start;
  return {
    now: () => now,
    elapsed: systemClock.elapsed,
    advance(ms) {
      now += ms;
    },
  };
}
