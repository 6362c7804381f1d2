import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { promptText } from "./prompt-text.ts";

const text = (words: string): ContentBlock => ({ type: "text", text: words });

test("a mention is replaced by a path in the message; an attachment is appended to the message", () => {
  const said = promptText([
    text("Compare "),
    { type: "resource_link", name: "a.ts", uri: "file:///p/src/a%20b.ts" },
    text(" with "),
    { type: "resource", resource: { uri: "zed:///selection", text: "const b = 1;" } },
  ]);
  expect(said).toBe(
    "Compare /p/src/a b.ts with zed:///selection\n\nAttached zed:///selection:\n\nconst b = 1;",
  );
});

test.each([
  ["an image", [text("look"), { type: "image", data: "", mimeType: "image/png" }], "no image"],
  [
    "a binary attachment",
    [{ type: "resource", resource: { uri: "file:///a.png", blob: "" } }],
    "no resource",
  ],
  [
    "an invalid file URL",
    [{ type: "resource_link", name: "x", uri: "file:///%zz" }],
    "file:///%zz names no file",
  ],
  ["only white space", [text(" \n")], "no text"],
] satisfies [string, ContentBlock[], string][])("a prompt with %s is rejected", (_, prompt, why) => {
  expect(() => promptText(prompt)).toThrow(
    expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringContaining(why) }),
  );
});
