// Gives a process a wrong clock. Usage: `node --import skewed-clock.ts …`.
// CADRE_TEST_CLOCK has two offsets in milliseconds. The first applies from the start, and the second after SIGUSR2.

const [from = 0, to = 0] = (process.env["CADRE_TEST_CLOCK"] ?? "").split(",").map(Number);
const right = Date.now;
let wrongBy = from;
process.on("SIGUSR2", () => {
  wrongBy = to;
});

class WrongDate extends Date {
  constructor(...given: [] | [number | string]) {
    super(given[0] ?? WrongDate.now());
  }
  static override now(): number {
    return right() + wrongBy;
  }
}
globalThis.Date = WrongDate as DateConstructor;
