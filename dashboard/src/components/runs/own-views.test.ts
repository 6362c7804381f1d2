import { expect, test } from "vitest";
import { parseViews } from "./own-views.ts";

test("[29.18] stored views are checked like a URL; anything else is left out", () => {
  const stored = [
    { name: "Broken today", search: { status: ["failed", "lost"], since: "today", sort: "cost", asc: true } },
    { name: "", search: {} },
    { name: "No search" },
    "text",
    null,
  ];
  expect(parseViews(JSON.stringify(stored))).toEqual([
    { name: "Broken today", search: { status: ["failed"], since: "today", sort: "cost", asc: true } },
  ]);
  for (const broken of [undefined, "", "{", "{}", "3"]) expect(parseViews(broken)).toEqual([]);
});
