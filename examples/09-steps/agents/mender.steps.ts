// Until the tests pass, at most three times; then a person decides. The model cannot skip a test run, nor call fixed what
// is not: that part is code. The module is run anew from the journal's answers whenever it is needed, so it has no state
// of its own and looks at nothing but its steps (no clock, no files, no randomness).

import { ask, prompt, type Steps, tool, turns } from "cadre";

const TRIES = 3;

export default function* (): Steps {
  for (let tries = 0; ; tries++) {
    // Judged like a call of the model. Hidden: it reads the failure in the prompt below, once.
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
