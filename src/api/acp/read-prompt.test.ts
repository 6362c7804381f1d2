import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { readPrompt } from "./read-prompt.ts";

const text = (words: string): ContentBlock => ({ type: "text", text: words });

test("a mention is replaced by a path in the message; an attachment is appended to the message", () => {
  const { text: said } = readPrompt([
    text("Compare "),
    { type: "resource_link", name: "a.ts", uri: "file:///p/src/a%20b.ts" },
    text(" with "),
    { type: "resource", resource: { uri: "zed:///selection", text: "const b = 1;" } },
  ]);
  expect(said).toBe(
    "Compare /p/src/a b.ts with zed:///selection\n\nAttached zed:///selection:\n\nconst b = 1;",
  );
});

test("images and binary attachments are sent as files, named after their URIs", () => {
  const said = readPrompt([
    text("Look"),
    { type: "image", data: "iVBO", mimeType: "image/png" },
    { type: "resource", resource: { uri: "file:///p/the%20paper.pdf", blob: "JVBERi0=" } },
  ]);
  expect(said).toEqual({
    text: "Look",
    attachments: [
      { name: "file-1", data: "iVBO" },
      { name: "the paper.pdf", data: "JVBERi0=" },
    ],
  });
});

test.each([
  ["sound", [text("listen"), { type: "audio", data: "", mimeType: "audio/wav" }], "no audio"],
  ["an image and no words", [{ type: "image", data: "iVBO", mimeType: "image/png" }], "no text"],
  [
    "an invalid file URL",
    [{ type: "resource_link", name: "x", uri: "file:///%zz" }],
    "file:///%zz names no file",
  ],
  ["only white space", [text(" \n")], "no text"],
] satisfies [string, ContentBlock[], string][])("a prompt with %s is rejected", (_, prompt, why) => {
  expect(() => readPrompt(prompt)).toThrow(
    expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringContaining(why) }),
  );
});
