import { expect, test } from "vitest";
import { loadWhenServed } from "./load-when-served.ts";

const gone = new TypeError("Failed to fetch dynamically imported module");

/** Simulates a page and a server. Loading the page succeeds at attempt `good`, and the server responds from check `up` on. */
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

test("a page whose code is available loads without checking the server", async () => {
  const { page, asked } = world({ good: 1, up: 1 });
  expect(await page()).toBe("the page");
  expect(asked()).toBe(0);
});

test("a page waits while the server is down", async () => {
  const { page, asked, loads } = world({ good: 2, up: 4 });
  expect(await page()).toBe("the page");
  expect([asked(), loads()]).toEqual([4, 2]);
});

test("if the server responds but does not have the page's code, the router gets the error and can reload the browser", async () => {
  const { page, loads } = world({ good: 2, up: 1 });
  await expect(page()).rejects.toBe(gone);
  expect(loads()).toBe(1);
});
