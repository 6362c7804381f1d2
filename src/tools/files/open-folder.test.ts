import { constants, mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { type OpenMethod, openFolder, openIn, pathIn } from "./open-folder.ts";

const WAYS: OpenMethod[] = process.platform === "linux" ? ["by-descriptor", "by-name"] : ["by-name"];

describe.each(WAYS)("a folder opened %s", (method) => {
  it("openFolder can create missing folders, and files are opened relative to the opened folder", async () => {
    await using folder = await tempWorkspace();
    await expect(openFolder(folder.path, ["a", "b"], { method })).rejects.toMatchObject({
      code: "ENOENT",
    });
    await using opened = await openFolder(folder.path, ["a", "b"], { method, create: true });
    await using file = await openIn(opened, "f", constants.O_WRONLY | constants.O_CREAT, 0o600);
    await file.writeFile("x");
    expect(await readFile(join(folder.path, "a/b/f"), "utf8")).toBe("x");
    expect((await stat(pathIn(opened, "."))).isDirectory()).toBe(true);
    expect(await opened.isUnchanged()).toBe(true);
  });

  it("[A35] [X1] an opened folder refuses to open a subfolder through a link or a file", async () => {
    await using outside = await tempWorkspace();
    await using folder = await tempWorkspace();
    await writeFile(join(outside.path, "f"), "canary");
    await symlink(outside.path, join(folder.path, "link"));
    await symlink(join(outside.path, "f"), join(folder.path, "file"));
    for (const name of ["link", "file"])
      for (const create of [false, true])
        await expect(openFolder(folder.path, [name], { method, create })).rejects.toMatchObject({
          code: expect.stringMatching(/^(ENOTDIR|ELOOP)$/),
        });
    await using opened = await openFolder(folder.path, [], { method });
    await expect(openIn(opened, "file", constants.O_RDONLY)).rejects.toMatchObject({ code: "ELOOP" });
  });

  it("[A35] [X2] after a parent folder was swapped for a link, nothing outside is opened or created", async () => {
    await using outside = await tempWorkspace();
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "a/b"), { recursive: true });
    await mkdir(join(outside.path, "b"));
    await writeFile(join(folder.path, "a/b/f"), "inside");
    await writeFile(join(outside.path, "b/f"), "canary");
    await using opened = await openFolder(folder.path, ["a", "b"], { method });
    await rename(join(folder.path, "a"), join(folder.path, "away"));
    await symlink(outside.path, join(folder.path, "a"));
    if (method === "by-name") {
      await expect(openIn(opened, "f", constants.O_RDONLY)).rejects.toMatchObject({ code: "ENOTDIR" });
      expect(await opened.isUnchanged()).toBe(false);
    } else {
      await using file = await openIn(opened, "f", constants.O_RDONLY);
      expect(await file.readFile("utf8")).toBe("inside");
      await writeFile(pathIn(opened, "new"), "");
      await expect(stat(join(outside.path, "b/new"))).rejects.toMatchObject({ code: "ENOENT" });
    }
  });

  it("[A35] if an opened folder was moved away and replaced, no file of the new folder is opened", async () => {
    await using folder = await tempWorkspace();
    await mkdir(join(folder.path, "a"));
    await using opened = await openFolder(folder.path, ["a"], { method });
    await rename(join(folder.path, "a"), join(folder.path, "away"));
    await mkdir(join(folder.path, "a"));
    await writeFile(join(folder.path, "a/f"), "another");
    await expect(openIn(opened, "f", constants.O_RDONLY)).rejects.toMatchObject({
      code: method === "by-name" ? "ENOTDIR" : "ENOENT",
    });
    await rm(join(folder.path, "away"), { recursive: true });
  });
});
