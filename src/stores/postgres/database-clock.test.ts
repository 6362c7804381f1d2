import { expect, test } from "vitest";
import { fakeClock } from "../../clock.ts";
import { DatabaseClock } from "./database-clock.ts";

test("[F36] the store's clock follows the database's time, whatever this machine's clock says", () => {
  const own = fakeClock();
  const clock = new DatabaseClock(own);
  clock.adjust(5_000, 0);
  own.advance(100);
  own.set(0);
  expect(clock.now()).toBe(5_100);
});

test("[F36] a slow answer does not make the store's clock less exact; if the database's clock is set back, the store's clock follows", () => {
  const own = fakeClock();
  const clock = new DatabaseClock(own);
  clock.adjust(5_000, 0);
  own.advance(20_000);
  clock.adjust(5_010, 0);
  expect(clock.now(), "as good as before").toBe(25_000);
  clock.adjust(1_000, 20_000);
  expect(clock.now()).toBe(1_001);
  clock.adjust(9_000, 20_000);
  expect(clock.now()).toBe(9_000);
});
