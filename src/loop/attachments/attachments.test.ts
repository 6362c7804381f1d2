import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PDF, PNG, sent } from "../../../test/support/sample-files.ts";
import { payloadsOf, scenario, watchCalls } from "../../../test/support/scenario.ts";
import { detectMediaType, MAX_IMAGE_BYTES, MEDIA_TYPES, sizeProblem } from "../../journal/attachment.ts";
import { defineTool } from "../../tools/tool.ts";
import { sendMessage } from "../commands/messages.ts";

const done = () => ({ text: "done" });
const readFile = (path: string) => ({ tool: "Read", input: { path } });
const readAndEnd = (path: string) => (request: { turn: number }) =>
  request.turn === 1 ? { calls: [readFile(path)] } : { text: "done" };

/** Lets the model see these media types. */
function see(world: Parameters<typeof watchCalls>[0], types: readonly string[]): void {
  const { models } = world.runtime.parts;
  world.runtime.parts.models = { ...models, acceptedFiles: () => new Set(types) };
}

const filePart = (name: string, mediaType: string, bytes: Buffer) => ({
  type: "file",
  filename: name,
  mediaType,
  data: { type: "data", data: bytes.toString("base64") },
});

scenario(
  "[J9] a task's files reach a model that can see; the journal has their names, types, sizes and hashes",
  { idle: true, script: done },
  async (world) => {
    const calls = watchCalls(world, done);
    see(world, MEDIA_TYPES);
    const runId = await world.run("look", { attachments: [sent("a.png", PNG), sent("b.pdf", PDF)] });
    await world.drive(runId);
    expect(calls.all[0]?.prompt[1]).toEqual({
      role: "user",
      content: [
        { type: "text", text: `look\n\n[a.png (image/png, ${PNG.length} bytes)]` },
        filePart("a.png", "image/png", PNG),
        { type: "text", text: `[b.pdf (application/pdf, ${PDF.length} bytes)]` },
        filePart("b.pdf", "application/pdf", PDF),
      ],
    });
    const events = await world.events(runId);
    expect(payloadsOf(events, "RUN_STARTED")[0]?.attachments).toEqual([
      { name: "a.png", mediaType: "image/png", bytes: PNG.length, blob: expect.stringMatching(/^f\w{64}$/) },
      { name: "b.pdf", mediaType: "application/pdf", bytes: PDF.length, blob: expect.any(String) },
    ]);
    expect(JSON.stringify(events)).not.toContain(PNG.toString("base64").slice(0, 20));
  },
);

scenario(
  "a model that cannot see gets names, types and sizes as one text",
  { idle: true, script: done },
  async (world) => {
    const calls = watchCalls(world, done);
    see(world, ["image/png"]);
    await world.drive(await world.run("look", { attachments: [sent("b.pdf", PDF)] }));
    expect(calls.all[0]?.prompt[1]).toEqual({
      role: "user",
      content: [
        {
          type: "text",
          text: `look\n\n[b.pdf (application/pdf, ${PDF.length} bytes): you cannot see files of this type]`,
        },
      ],
    });
  },
);

scenario(
  "[P1] [J12] Read shows an image; after a kill and a restart the same prompt is sent again",
  { idle: true, script: done, agent: "tools: [Read]" },
  async (world) => {
    writeFileSync(join(world.folder, "shot.png"), PNG);
    const script = readAndEnd("shot.png");
    const before = watchCalls(world, script);
    see(world, MEDIA_TYPES);
    before.onCall = () => before.all.length === 2 && world.die();
    const runId = await world.run("look", { attachments: [sent("a.png", PNG)] });
    await world.drive(runId).catch(() => {});
    await world.dead();
    await world.restart();
    const after = watchCalls(world, script);
    see(world, MEDIA_TYPES);
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(after.all[0]?.prompt).toEqual(before.all[1]?.prompt);
    expect(after.all[0]?.prompt.at(-1)).toMatchObject({
      role: "tool",
      content: [
        {
          output: {
            type: "content",
            value: [
              { type: "text", text: `shot.png (image/png, ${PNG.length} bytes)` },
              filePart("shot.png", "image/png", PNG),
            ],
          },
        },
      ],
    });
  },
);

scenario(
  "[F50] a message's files are shown with the message; the same key with other files is refused",
  { idle: true, script: done },
  async (world) => {
    const calls = watchCalls(world, done);
    see(world, MEDIA_TYPES);
    const runId = await world.run("wait for my picture");
    const say = (bytes: Buffer) =>
      sendMessage(runId, "here", "ann", world.runtime.people, "k", [sent("a.png", bytes)]);
    await say(PNG);
    await say(PNG);
    await expect(say(PDF)).rejects.toMatchObject({ code: "UNPROCESSABLE" });
    await world.drive(runId);
    expect(calls.all[0]?.prompt.at(-1)?.content).toContainEqual(filePart("a.png", "image/png", PNG));
    expect(payloadsOf(await world.events(runId), "CONTEXT_ADDED")).toHaveLength(1);
  },
);

scenario(
  "a routed run gets the files of the request",
  {
    idle: true,
    agent: "router: { destinations: [helper, other], fallback: other }",
    cast: { helper: "", other: "" },
    script: ({ agent }) =>
      agent === "tester"
        ? { calls: [{ tool: "route_to", input: { agent: "helper", reason: "r" } }] }
        : { text: "done" },
  },
  async (world) => {
    const runId = await world.run("look", { attachments: [sent("a.png", PNG)] });
    await world.drive(runId);
    const [child] = payloadsOf(await world.events(runId), "CHILD_RUN_STARTED");
    const [start] = payloadsOf(await world.events(child!.child_run_id), "RUN_STARTED");
    expect(start?.attachments).toMatchObject([{ name: "a.png" }]);
  },
);

const big = (start: Buffer, bytes: number) => Buffer.concat([start, Buffer.alloc(bytes)]);

scenario(
  "[R6] files are refused with the reason, and nothing is started",
  {
    idle: true,
    script: done,
    config: "providers:\n  x: { type: openai, headers: { Authorization: swordfish-4711-abc } }",
  },
  async (world) => {
    const refusal = async (...files: { name: string; data: string }[]): Promise<string> =>
      world.run("look", { attachments: files }).then(
        () => "started",
        (error: Error) => error.message,
      );
    const page = Buffer.from("<svg onload=alert(1)>");
    expect(await refusal(sent("a.png", page)), "the name proves nothing").toContain("its content is none of");
    expect(await refusal({ name: "a.png", data: "no base64!" })).toContain("is not sent as base64");
    expect(await refusal(sent("a.png", big(PNG, MAX_IMAGE_BYTES)))).toContain(
      "an image can have at most 3.75 MB",
    );
    expect(await refusal(...Array.from({ length: 21 }, () => sent("a.png", PNG)))).toContain("21 files");
    const half = sent("a.pdf", big(PDF, 9_000_000));
    expect(await refusal(half, half)).toContain("18.0 MB together");
    const secret = sent("a.pdf", Buffer.concat([PDF, Buffer.from("swordfish-4711-abc")]));
    expect(await refusal(secret), "[R6]").toContain("contains a secret");
    expect((await world.runtime.store.runs.list({})).runs).toEqual([]);
  },
);

const shoot = defineTool({
  name: "shoot",
  description: "Clicks, and takes a picture.",
  input: z.object({}),
  effect: "read",
  reaches: [],
  execute: async () => ({
    output: "clicked",
    attachments: [{ name: "a.png", bytes: big(PNG, 6_000_000) }],
  }),
});

scenario(
  "a call succeeds although its file is too large to be attached; the answer says why",
  {
    idle: true,
    more: [shoot],
    script: ({ turn }) => (turn === 1 ? { calls: [{ tool: "shoot", input: {} }] } : { text: "done" }),
  },
  async (world) => {
    const runId = await world.run("click");
    await world.drive(runId);
    const [result] = payloadsOf(await world.events(runId), "TOOL_RESULT");
    expect(result?.output).toMatch(/^clicked\na\.png is 6\.0 MB, and an image can have at most 3\.75 MB\.$/);
    expect(result).not.toHaveProperty("isError");
  },
);

let rejected = 0;
scenario(
  "a request that is rejected because of a damaged file is repeated with the file's name, and so are later requests",
  { idle: true, script: done },
  async (world) => {
    const isFile = ({ type }: { type: string }) => type === "file";
    const calls = watchCalls(world, () =>
      (calls.all.at(-1)!.prompt[1]!.content as { type: string }[]).some(isFile) && ++rejected > 0
        ? { error: { status: 400, message: "Could not process image" } }
        : { text: "done" },
    );
    see(world, MEDIA_TYPES);
    const runId = await world.run("look", { attachments: [sent("a.png", PNG)] });
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(rejected).toBe(1);
    expect(JSON.stringify(calls.all[1]?.prompt[1])).toMatch(/look.*a\.png \(image\/png.*you cannot see it/);
  },
);

scenario(
  "[F40] a PDF that does not fit into the model's context is replaced by its name",
  { idle: true, script: done },
  async (world) => {
    const calls = watchCalls(world, () =>
      JSON.stringify(calls.all.at(-1)!.prompt).includes('"type":"file"')
        ? { error: { status: 400, message: "prompt is too long: 90000 tokens > 32000 maximum" } }
        : { text: "done" },
    );
    see(world, MEDIA_TYPES);
    const runId = await world.run("look", { attachments: [sent("a.pdf", big(PDF, 9_000_000))] });
    expect((await world.drive(runId)).end?.status).toBe("completed");
    expect(JSON.stringify(calls.all.at(-1)?.prompt)).toContain("a.pdf (application/pdf, 9.0 MB): left out");
  },
);

scenario(
  "a rejection that names no content keeps the files: another model can see them in a fork",
  { idle: true, script: done },
  async (world) => {
    watchCalls(world, () => ({ error: { status: 404, message: "no such model" } }));
    see(world, MEDIA_TYPES);
    const runId = await world.run("look", { attachments: [sent("a.png", PNG)] });
    expect((await world.drive(runId)).end?.status).toBe("failed");
    expect(payloadsOf(await world.events(runId), "CONTEXT_CLIPPED")).toEqual([]);
  },
);

scenario(
  "the oldest files are left out in large portions if a request has no room for all of them",
  { idle: true, script: done },
  async (world) => {
    const calls = watchCalls(world, done);
    see(world, MEDIA_TYPES);
    const file = (name: string) => sent(name, big(PDF, 6_000_000));
    const runId = await world.run("look", { attachments: [file("1.pdf"), sent("2.png", PNG)] });
    for (const name of ["3.pdf", "4.pdf"])
      await sendMessage(runId, name, "ann", world.runtime.people, undefined, [file(name)]);
    await world.drive(runId);
    const prompt = JSON.stringify(calls.all[0]?.prompt, (key, value) => (key === "data" ? "" : value));
    expect(prompt).toContain("1.pdf (application/pdf, 6.0 MB): left out");
    expect([...prompt.matchAll(/"filename":"(.*?)"/g)].map(([, name]) => name)).toEqual(["3.pdf", "4.pdf"]);
  },
);

/** Copies the sample image and changes the height in its header. */
function tallPng(height: number): Buffer {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
const JPEG = Buffer.from("ffd8ffe000044a46ffc00011081f5023280311", "hex");

test.each([
  ["image/png", tallPng(8_000), undefined],
  ["image/png", tallPng(9_000), "has 1 × 9000 pixels, and an image can have at most 8000 on each side"],
  ["image/gif", Buffer.from("474946383961282300080000", "hex"), expect.stringContaining("9000 × 2048")],
  ["image/jpeg", JPEG, expect.stringContaining("9000 × 8016")],
  ["image/jpeg", JPEG.subarray(0, 8), undefined],
  ["image/png", PNG.subarray(0, 9), undefined],
] as const)(
  "%s: an image with too many pixels is refused, because providers reject it",
  (type, bytes, problem) => {
    expect(sizeProblem(type, bytes)).toEqual(problem);
  },
);

describe("media types", () => {
  test.each([
    ["image/png", PNG],
    ["application/pdf", PDF],
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ["image/gif", Buffer.from("GIF89a")],
    ["image/webp", Buffer.from("RIFF\0\0\0\0WEBP")],
    [undefined, Buffer.from("<svg>")],
    [undefined, Buffer.from("")],
  ])("%s is recognised by its first bytes", (type, bytes) => {
    expect(detectMediaType(bytes)).toBe(type);
  });
});
