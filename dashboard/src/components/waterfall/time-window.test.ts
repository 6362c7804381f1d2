import fc from "fast-check";
import { expect, test } from "vitest";
import type { Span } from "../../../../src/projections/views/waterfall.ts";
import { barsIn, shiftWindow, spanAt, ticks, zoomWindow } from "./time-window.ts";

const span = (activity: Span["activity"], from: number, to: number): Span => ({
  activity,
  from,
  to,
  seq: 1,
  label: "",
});

test("[U08] only spans inside the window are drawn, and they are clipped at its edges", () => {
  const spans = [span("model", 0, 100), span("tool", 100, 200), span("person", 200, 300)];
  expect(barsIn(spans, { from: 150, to: 250 }, 100, 300)).toEqual([
    { x: 0, width: 50, activity: "tool" },
    { x: 50, width: 50, activity: "person" },
  ]);
});

test("[U14] a thousand spans on a hundred pixels are drawn as at most fifty bars; each bar shows its longest activity", () => {
  const spans = Array.from({ length: 1_000 }, (_, at) =>
    span(at % 4 === 0 ? "tool" : "model", at * 10, at * 10 + 10),
  );
  const bars = barsIn(spans, { from: 0, to: 10_000 }, 100, 10_000);
  expect(bars.length).toBeLessThanOrEqual(50);
  expect(new Set(bars.map(({ activity }) => activity))).toEqual(new Set(["model"]));
});

test("[U08] in any window, bars do not overlap and do not leave the window", () => {
  const lengths = fc.array(fc.nat(500), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(lengths, fc.nat(2_000), fc.integer({ min: 1, max: 9_000 }), (all, from, length) => {
      let at = 0;
      const spans = all.map((ms) => {
        at += ms;
        return span("model", at - ms, at);
      });
      let edge = 0;
      for (const bar of barsIn(spans, { from, to: from + length }, 300, at)) {
        expect(bar.x).toBeGreaterThanOrEqual(edge - 1.001);
        edge = bar.x + bar.width;
      }
      expect(edge).toBeLessThanOrEqual(301.001);
    }),
  );
});

test("[U08] zooming keeps the time under the pointer in place; the visible window always stays within the full range", () => {
  const whole = { from: 0, to: 1_000 };
  expect(zoomWindow(whole, 0.5, whole, 250)).toEqual({ from: 125, to: 625 });
  expect(zoomWindow({ from: 0, to: 100 }, 100, whole)).toEqual(whole);
  expect(shiftWindow({ from: 900, to: 1_000 }, 500, whole)).toEqual({ from: 900, to: 1_000 });
});

test("[U08] `spanAt` finds the span at a given time; `ticks` returns round times", () => {
  const spans = [span("model", 0, 10), span("tool", 10, 20), span("tool", 20, 30)];
  expect([spanAt(spans, -1), spanAt(spans, 10), spanAt(spans, 19), spanAt(spans, 99)]).toEqual([0, 1, 1, 2]);
  expect(ticks({ from: 500, to: 60_500 }, 500, 600)).toEqual(
    [0, 10, 20, 30, 40, 50, 60].map((s) => 500 + s * 1_000),
  );
});
