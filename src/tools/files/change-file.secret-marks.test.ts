import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../edit.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { writeTool } from "../write.ts";

const MARK = "⟦secret DB_PASSWORD⟧";
const FILE = "PORT=8080\nDB_PASSWORD=the-real-value\n";

describe("[A61] [R5] the mask of a secret is never written to a file in place of the secret", () => {
  it("Write refuses content in which the secret is masked", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, ".env"), FILE);
    const content = `PORT=9090\nDB_PASSWORD=${MARK}\n`;
    const answer = await writeTool.execute({ path: ".env", content }, folder.context());
    expect(answer).toMatchObject({ isError: true, output: expect.stringContaining(MARK) });
    expect(answer.output).toContain("nothing was changed");
    expect(await readFile(join(folder.path, ".env"), "utf8")).toBe(FILE);
  });

  it("Edit refuses to write a masked secret, but still changes other lines of the file", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, ".env"), FILE);
    const edit = (old_string: string, new_string: string) =>
      editTool.execute({ path: ".env", old_string, new_string }, folder.context());
    expect(await edit("PORT=8080", `PORT=9090\nOTHER=${MARK}`)).toMatchObject({ isError: true });
    expect(await edit(`DB_PASSWORD=${MARK}`, "DB_PASSWORD=x")).toMatchObject({ isError: true });
    expect(await edit("PORT=8080", "PORT=9090")).not.toMatchObject({ isError: true });
    expect(await readFile(join(folder.path, ".env"), "utf8")).toBe(FILE.replace("8080", "9090"));
  });

  it("an edit can keep a mask that was already in the file", async () => {
    await using folder = await tempWorkspace();
    await writeFile(join(folder.path, "about.md"), `It shows ${MARK}.\n`);
    const content = `It shows ${MARK}, always.\n`;
    const answer = await writeTool.execute({ path: "about.md", content }, folder.context());
    expect(answer).not.toMatchObject({ isError: true });
  });
});
