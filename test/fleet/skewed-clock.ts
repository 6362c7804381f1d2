// Gives a process a wrong clock: `node --import skewed-clock.ts …`.
// CADRE_TEST_CLOCK holds two offsets in milliseconds: from the start, and after the jump that SIGUSR2 triggers.

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
