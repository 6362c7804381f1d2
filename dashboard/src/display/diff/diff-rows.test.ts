import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffParts, diffRows } from "./diff-rows.ts";

test("[U22] each line of a patch has its line numbers in the old and the new file", () => {
  const patch = "--- a\n+++ b\n@@ -2,3 +2,3 @@ where\n same\n-old\n+new\n end\n";
  expect(diffRows(patch)).toEqual([
    { kind: "file", text: "--- a" },
    { kind: "file", text: "+++ b" },
    { kind: "hunk", text: "@@ -2,3 +2,3 @@ where" },
    { kind: "same", text: "same", before: 2, after: 2 },
    { kind: "removed", text: "old", before: 3 },
    { kind: "added", text: "new", after: 3 },
    { kind: "same", text: "end", before: 4, after: 4 },
  ]);
});

test("[A17] changed lines that look like headers are shown as changed lines", () => {
  const patch = "@@ -1,2 +1,2 @@\n--- passwd\n+++ safe\n @@ -1 +1 @@\n";
  expect(diffRows(patch).map(({ kind }) => kind)).toEqual(["hunk", "removed", "added", "same"]);
});

test("[A17] a preview without a diff is shown as a note, followed by the whole content as added lines", () => {
  const rows = diffRows("a.txt: too different for a diff; the whole new content:\n+one\n+two");
  expect(rows.map(({ kind }) => kind)).toEqual(["note", "added", "added"]);
});

test("[U22] long unchanged parts collapse; every row is in exactly one part", () => {
  const before = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  const after = before.with(30, "changed");
  const patch = createTwoFilesPatch("a", "a", before.join("\n"), after.join("\n"), "", "", { context: 60 });
  const rows = diffRows(patch ?? "");
  const parts = diffParts(rows);
  expect(parts.filter(({ kind }) => kind === "fold").map((part) => part.rows.length)).toEqual([24, 23]);
  expect(parts.flatMap((part) => part.rows)).toEqual(rows);
});

test("[A17] any text can be split into rows without losing content", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const rows = diffRows(text);
      expect(rows.length).toBe(text.replace(/\n$/, "").split("\n").length);
      expect(diffParts(rows).flatMap((part) => part.rows)).toEqual(rows);
    }),
  );
});
