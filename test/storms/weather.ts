// The faults of the storms. Each storm changes the process that drives a scenario: its limits, its clock, its disk or its model.

import { type SQLInputValue, StatementSync } from "node:sqlite";
import type { ScriptedRequest, ScriptedTurn } from "../../src/models/scripted/script.ts";
import type { Random } from "../simulation/random.ts";

export type Answer = (request: ScriptedRequest) => ScriptedTurn | undefined;

export interface Storm {
  name: string;
  /** A sentence for the report. */
  does: string;
  /** Changes the command line that starts the process. */
  command?(argv: readonly string[], random: Random): string[];
  /** Starts the faults inside the process, and calls `count` for each fault. */
  begin?(random: Random, count: () => void): void;
  /** Makes a model that fails now and then. */
  model?(answer: Answer, random: Random, count: () => void): Answer;
}

const FULL = 13;
const FAILING = 10;
const READ_ONLY = 8;
const DAY = 86_400_000;

export const STORMS: readonly Storm[] = [
  disk("disk-full", "the disk is full for moments", FULL),
  disk("disk-failing", "writes fail for moments", FAILING),
  disk("disk-read-only", "the disk is read-only for moments", READ_ONLY),
  {
    name: "disk-slow",
    does: "every commit takes up to 200 ms",
    begin: (random, count) =>
      beforeCommits(() => {
        count();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, random.between(0, 200));
      }),
  },
  {
    name: "descriptors",
    does: "the process may open 25 to 40 files",
    command: (argv, random) => [
      "bash",
      "-c",
      `ulimit -n ${random.between(25, 40)}; exec "$@"`,
      "bash",
      ...argv,
    ],
  },
  {
    name: "memory",
    does: "the heap has 128 MB",
    command: ([program = "", ...rest]) => [program, "--max-old-space-size=128", ...rest],
  },
  {
    name: "clock",
    does: "the clock jumps by up to a day, ahead and back",
    begin(random, count) {
      const now = Date.now;
      let offset = 0;
      Date.now = () => now() + offset;
      setInterval(() => {
        offset = random.between(-DAY, DAY);
        count();
      }, 100).unref();
    },
  },
  {
    name: "provider",
    does: "the model is overloaded, out of reach or cut off, in a third of the first attempts",
    model: (answer, random, count) => (request) => {
      if (request.attempt > 1 || !random.chance(0.33)) return answer(request);
      count();
      const faults = [
        { error: { status: 529, message: "overloaded" } },
        { error: "network" },
        { cut: "stream" },
      ] as const;
      return { ...random.pick(faults) };
    },
  },
];

/** A disk that fails. SQLite reports disk errors at a commit, so in half of the time windows every commit fails. */
function disk(name: string, does: string, errcode: number): Storm {
  const begin: Storm["begin"] = (random, count) => {
    let fails = false;
    setInterval(() => {
      fails = random.chance(0.5);
    }, 150).unref();
    beforeCommits(() => {
      if (!fails) return;
      count();
      throw Object.assign(new Error(`the storm ${name}`), { code: "ERR_SQLITE_ERROR", errcode });
    });
  };
  return { name, does, begin };
}

function beforeCommits(act: () => void): void {
  const run = StatementSync.prototype.run;
  StatementSync.prototype.run = function (this: StatementSync, ...given: SQLInputValue[]) {
    if (this.sourceSQL === "COMMIT") act();
    return Reflect.apply(run, this, given) as ReturnType<typeof run>;
  } as typeof run;
}
