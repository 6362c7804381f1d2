// Makes a process one of a machine whose clock is wrong: `node --import skewed-clock.ts …`. CADRE_TEST_CLOCK says by how many
// milliseconds, from the start and after it jumps, which it does on SIGUSR2.

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
