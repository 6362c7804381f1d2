import { expect, test } from "vitest";
import { loadWhenServed } from "./load-when-served.ts";

const gone = new TypeError("Failed to fetch dynamically imported module");

/** Code that loads from the `good`th time on, and a server that answers from the `up`th. */
function world({ good, up }: { good: number; up: number }) {
  let loads = 0;
  let asked = 0;
  const load = async () => {
    if (++loads < good) throw gone;
    return "the page";
  };
  const server = { answers: async () => ++asked >= up, pauseMs: 1 };
  return { page: loadWhenServed(load, server), loads: () => loads, asked: () => asked };
}

test("code that is there is loaded, and nobody is asked", async () => {
  const { page, asked } = world({ good: 1, up: 1 });
  expect(await page()).toBe("the page");
  expect(asked()).toBe(0);
});

test("while the server is gone a page waits for it", async () => {
  const { page, asked, loads } = world({ good: 2, up: 4 });
  expect(await page()).toBe("the page");
  expect([asked(), loads()]).toEqual([4, 2]);
});

test("a server that is there and has no such code is of another version: the router reloads", async () => {
  const { page, loads } = world({ good: 2, up: 1 });
  await expect(page()).rejects.toBe(gone);
  expect(loads()).toBe(1);
});
