import { expect, test } from "vitest";
import { fakeClock } from "../clock.ts";
import { createLimiter } from "./limiter.ts";

function createLimited(seconds: number) {
  const clock = fakeClock();
  const limiter = createLimiter(clock);
  const until = clock.now() + seconds * 1_000;
  limiter.failed("anthropic/a", until);
  return { clock, limiter, until };
}

test("[F40] a rate limit applies to all models of its provider, but not to other providers", () => {
  const { limiter, until } = createLimited(30);
  expect(limiter.notBefore("anthropic/a", "run1")).toBe(until);
  expect(limiter.notBefore("anthropic/other", "run1")).toBe(until);
  expect(limiter.notBefore("openai/a", "run1")).toBeUndefined();
});

test("[F40] after a rate limit, ten waiting calls start one after another until a call succeeds", () => {
  const { clock, limiter, until } = createLimited(30);
  const runs = Array.from({ length: 10 }, (_, at) => `run${at}`);
  const ask = () => runs.map((run) => limiter.notBefore("anthropic/a", run));
  expect(ask()).toEqual(runs.map((_, at) => until + at * 1_000));
  expect(ask()).toEqual(runs.map((_, at) => until + at * 1_000));
  clock.advance(30_000);
  expect(ask().filter((at) => at === undefined)).toHaveLength(1);
  clock.advance(1_000);
  expect(limiter.notBefore("anthropic/a", "run1")).toBeUndefined();
  limiter.succeeded("anthropic/a");
  expect(limiter.notBefore("anthropic/b", "run2")).toBeUndefined();
  expect(limiter.notBefore("anthropic/c", "run3")).toBeUndefined();
});

test("[F40] if the first call after a rate limit is refused again, the other calls keep waiting", () => {
  const { clock, limiter } = createLimited(30);
  clock.advance(30_000);
  expect(limiter.notBefore("anthropic/a", "run1")).toBeUndefined();
  limiter.failed("anthropic/a", clock.now() + 60_000);
  clock.advance(1_000);
  expect(limiter.notBefore("anthropic/b", "run2")).toBe(clock.now() + 59_000);
});

test("[F40] neither the success of an earlier call nor a later, shorter limit makes the wait shorter", () => {
  const { clock, limiter, until } = createLimited(30);
  clock.advance(5_000);
  limiter.succeeded("anthropic/a");
  limiter.failed("anthropic/a", clock.now() + 1_000);
  expect(limiter.notBefore("anthropic/a", "run1")).toBe(until);
});
