import { expect, test } from "vitest";
import { testCounts } from "./test-counts.ts";

test.each([
  [
    "vitest",
    " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 12 passed | 2 skipped (15)\n",
    13,
    12,
  ],
  [
    "vitest in colour",
    "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m3 passed\u001b[39m\u001b[22m\u001b[90m (3)\u001b[39m\n",
    3,
    3,
  ],
  ["jest", "Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 passed, 3 total\n", 3, 2],
  ["node --test", "# tests 5\n# suites 0\n# pass 4\n# fail 1\n# cancelled 0\n", 5, 4],
  ["node --test, spec reporter", "✔ a\nℹ tests 2\nℹ pass 2\nℹ fail 0\n", 2, 2],
  ["pytest", "=================== 1 failed, 3 passed in 0.12s ===================\n", 4, 3],
  ["pytest -q", "....\n4 passed in 0.02s\n", 4, 4],
  [
    "cargo",
    "test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n",
    7,
    6,
  ],
  ["mocha", "  5 passing (10ms)\n  1 failing\n", 6, 5],
  ["go test -v", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n", 2, 1],
])("[S2-59] [S2-60] the counts of %s", (_, output, run, passed) => {
  expect(testCounts(output)).toEqual({ run, passed });
});

test.each([["nothing"], [""], ["All 5 tests passed, believe me."], ["# tests 0\n# pass 0\n# fail 0\n"]])(
  "[D3] %j contains no test counts",
  (output) => {
    expect(testCounts(output)).toBeUndefined();
  },
);
