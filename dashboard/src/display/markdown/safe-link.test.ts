import { expect, test } from "vitest";
import { safeLink } from "./safe-link.ts";

test("[A63] absolute web and mail URLs are shown as links with their host", () => {
  expect(safeLink("https://user@evil.test:8/a?b")?.host).toBe("evil.test:8");
  expect(safeLink("mailto:a@b.test")?.host).toBe("a@b.test");
  expect(safeLink("https://аpple.com")?.host).toBe("xn--pple-43d.com");
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:x",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc",
  "//evil.test",
  "/api/runs",
  "#x",
  "",
  undefined,
])("[A63] %s is not a link", (address) => {
  expect(safeLink(address)).toBeUndefined();
});
