// Parses how many tests ran and passed from the output of common test runners (D3).
// A model's claim about tests is never used. Output in an unknown format gives no counts.

export interface TestCounts {
  run: number;
  passed: number;
}

export function testCounts(output: string): TestCounts | undefined {
  const text = output.replaceAll(ESCAPES, "");
  for (const read of RUNNERS) {
    const counts = read(text);
    if (counts && counts.run > 0) return counts;
  }
  return undefined;
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

type Runner = (text: string) => TestCounts | undefined;

/** The summary that vitest prints: `Tests  1 failed | 2 passed | 1 skipped (4)`. */
const vitest: Runner = (text) => {
  const line = /^\s*Tests\s+(?=.*\(\d+\)\s*$).*$/m.exec(text)?.[0];
  return line === undefined ? undefined : countsIn(line, /(\d+) passed/, /(\d+) failed/);
};

/** The summary that jest prints: `Tests:       1 failed, 2 passed, 3 total`. */
const jest: Runner = (text) => {
  const line = /^Tests:\s.*\btotal\b.*$/m.exec(text)?.[0];
  return line === undefined ? undefined : countsIn(line, /(\d+) passed/, /(\d+) failed/);
};

/** The summary that `node --test` prints, in either of its two formats: `# tests 3`, `ℹ pass 2`. */
const node: Runner = (text) => {
  const countOf = (word: string) => numberIn(text, new RegExp(`^[#ℹ] ${word} (\\d+)$`, "m"));
  const [passed, failed] = [countOf("pass"), countOf("fail")];
  return passed === undefined || failed === undefined ? undefined : { run: passed + failed, passed };
};

/** The summary that pytest prints: `==== 1 failed, 3 passed in 0.12s ====`. */
const pytest: Runner = (text) => {
  const line = /^=*\s?.*\b(?:passed|failed)\b.* in [\d.]+s.*$/m.exec(text)?.[0];
  return line === undefined ? undefined : countsIn(line, /(\d+) passed/, /(\d+) failed/);
};

/** cargo prints one line `test result:` for each binary. */
const cargo: Runner = (text) =>
  sum(
    [...text.matchAll(/^test result: .*$/gm)].map(([line]) => countsIn(line, /(\d+) passed/, /(\d+) failed/)),
  );

/** The summary that mocha prints: `5 passing`, `1 failing`. */
const mocha: Runner = (text) => {
  const passed = numberIn(text, /^\s*(\d+) passing\b/m);
  return passed === undefined
    ? undefined
    : { run: passed + (numberIn(text, /^\s*(\d+) failing\b/m) ?? 0), passed };
};

/** `go test -v` prints one line for each test. */
const go: Runner = (text) => {
  const passed = [...text.matchAll(/^\s*--- PASS: /gm)].length;
  return { run: passed + [...text.matchAll(/^\s*--- FAIL: /gm)].length, passed };
};

const RUNNERS: readonly Runner[] = [vitest, jest, node, cargo, mocha, go, pytest];

function countsIn(line: string, passes: RegExp, fails: RegExp): TestCounts {
  const passed = numberIn(line, passes) ?? 0;
  return { run: passed + (numberIn(line, fails) ?? 0), passed };
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const sum = (all: readonly TestCounts[]): TestCounts =>
  all.reduce((total, { run, passed }) => ({ run: total.run + run, passed: total.passed + passed }), {
    run: 0,
    passed: 0,
  });
