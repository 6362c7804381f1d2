// Lets the model fix the program until the tests pass, at most three times; then a person decides.
// Code runs the tests, so the model cannot skip them or claim a success.
// Cadre reruns the module from the answers in the journal whenever it needs to, so the module keeps no state and depends only on
// its steps (no clock, no files, no randomness).

import { ask, prompt, type Steps, tool, turns } from "cadre";

const TRIES = 3;

export default function* (): Steps {
  for (let tries = 0; ; tries++) {
    // The permission rules apply as for a call of the model. The result is hidden from the model, because the prompt below shows it.
    const tests = yield* tool("Bash", { command: "node --test mean.test.mjs" }, { hidden: true });
    if (!tests.isError) return { summary: `The tests pass after ${tries} attempts.` };

    if (tries === TRIES) {
      const word = yield* ask(`The tests still fail after ${TRIES} attempts. What now?`, {
        choices: ["leave it", "go on"],
      });
      if (word !== "go on")
        return { summary: "The tests fail. A person takes over.", warnings: [String(tests.output)] };
      tries = 0;
    }

    yield prompt(
      `The tests fail (attempt ${tries + 1} of ${TRIES}). Mend the cause.\n\n${String(tests.output)}`,
    );
    yield* turns({ max: 8 });
  }
}
