// Tests how the files that a message names are attached.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { completePath, isFilePath, readMentions } from "./mentions.ts";

async function folderWithFiles(): Promise<string> {
  const folder = scratchFolder("cadre-mentions-");
  await mkdir(join(folder, "src"), { recursive: true });
  for (const name of ["src/app.ts", "src/apple.ts", "my shot.png", "notes.txt"])
    await writeFile(join(folder, name), `text of ${name}`);
  return folder;
}

test("[26.1] `@file` adds the file's text to the message; images and PDFs are attached, also if only their path is pasted", async () => {
  const folder = await folderWithFiles();
  const data = Buffer.from("text of my shot.png").toString("base64");
  const image = { attachments: [{ name: "my shot.png", data }] };
  expect(readMentions("look at @src/app.ts and @src/app.ts", folder)).toEqual({
    text: "look at @src/app.ts and @src/app.ts\n\nAttached src/app.ts:\n\ntext of src/app.ts",
  });
  for (const path of [
    '@"my shot.png"',
    `'${folder}/my shot.png'`,
    `${folder}/my\\ shot.png`,
    "./my\\ shot.png",
  ])
    expect(readMentions(`see ${path}`, folder)).toEqual({ text: `see ${path}`, ...image });
});

test("[26.1] a word that names no file stays in the message as it is", async () => {
  const folder = await folderWithFiles();
  for (const text of [
    "mail ann@example.org",
    "@nobody here",
    "notes.txt is old",
    "/src it isn't",
    'an "open quote',
  ])
    expect(readMentions(text, folder)).toEqual({ text });
  expect([isFilePath(`${folder}/notes.txt`, folder), isFilePath("/help", folder)]).toEqual([true, false]);
});

test("[26.1] Tab completes a path up to the point where several paths are possible", async () => {
  const folder = await folderWithFiles();
  expect(completePath("see @sr", folder)).toBe("see @src/");
  expect(completePath("see @src/", folder)).toBe("see @src/app");
  expect(completePath("see @src/apple", folder)).toBe("see @src/apple.ts");
  expect(completePath("see @nothing", folder)).toBe("see @nothing");
  expect(completePath("see nothing", folder)).toBe("see nothing");
});
