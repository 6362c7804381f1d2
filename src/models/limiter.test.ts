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
  expect(limiter.notBefore("anthropic/a")).toBe(until);
  expect(limiter.notBefore("anthropic/other")).toBe(until);
  expect(limiter.notBefore("openai/a")).toBeUndefined();
});

test("[F40] after a rate limit, ten waiting calls start one after another until a call succeeds", () => {
  const { clock, limiter, until } = createLimited(30);
  clock.advance(30_000);
  const asked = Array.from({ length: 10 }, () => limiter.notBefore("anthropic/a"));
  expect(asked.filter((at) => at === undefined)).toHaveLength(1);
  expect(asked[9]).toBe(until + 1_000);
  limiter.succeeded("anthropic/a");
  expect(limiter.notBefore("anthropic/b")).toBeUndefined();
  expect(limiter.notBefore("anthropic/c")).toBeUndefined();
});

test("[F40] if the first call after a rate limit is refused again, the other calls keep waiting", () => {
  const { clock, limiter } = createLimited(30);
  clock.advance(30_000);
  expect(limiter.notBefore("anthropic/a")).toBeUndefined();
  limiter.failed("anthropic/a", clock.now() + 60_000);
  clock.advance(1_000);
  expect(limiter.notBefore("anthropic/b")).toBe(clock.now() + 59_000);
});

test("[F40] neither the success of an earlier call nor a later, shorter limit makes the wait shorter", () => {
  const { clock, limiter, until } = createLimited(30);
  clock.advance(5_000);
  limiter.succeeded("anthropic/a");
  limiter.failed("anthropic/a", clock.now() + 1_000);
  expect(limiter.notBefore("anthropic/a")).toBe(until);
});
