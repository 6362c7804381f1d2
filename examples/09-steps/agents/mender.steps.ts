// Lets the model fix the program until the tests pass. After three failed attempts, a person decides.
// This module runs the tests itself, so the model cannot skip the tests or claim a false success.
// Cadre can rerun this module at any time with the answers from the journal.
// The module keeps no state and depends only on its steps: it uses no clock, no files and no randomness.

import { ask, prompt, type Steps, tool, turns } from "cadre";

const TRIES = 3;

export default function* (): Steps {
  for (let tries = 0; ; tries++) {
    // The permission rules apply to this call. `hidden` keeps the test output out of the conversation, because the next prompt quotes this output.
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
