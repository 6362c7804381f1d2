import { expect, test } from "vitest";
import { failureMarkdown } from "./first-cause.ts";

test("[U44] [A63] what an agent wrote stays text in the Markdown for an issue", () => {
  const text = failureMarkdown(
    {
      cause: {
        run_id: "c1",
        agent: "editor",
        stop_reason: "error",
        summary: "# Not\n`a` [heading](http://x)",
      },
      chain: [{ runId: "c1", agent: "editor", task: "Write", summary: "" }],
      seq: 7,
    },
    "http://127.0.0.1:4470",
  );
  expect(text).toContain("`` # Not `a` [heading](http://x) ``");
  expect(text).toContain("http://127.0.0.1:4470/r/c1#7");
  expect(text.match(/^#+ .*$/gm)).toEqual(["## editor failed", "### How it came up"]);
});
