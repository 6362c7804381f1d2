import { mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { readTool } from "../read.ts";
import { tempWorkspace } from "../temp-workspace.fixture.ts";
import { writeTool } from "../write.ts";
import { resolveInWorkspace } from "./workspace-path.ts";

it("[A34] a path outside the workspace is refused, even if its folder's name begins with the name of the workspace", async () => {
  await using folder = await tempWorkspace();
  const { path: root } = folder;
  await mkdir(join(root, "proj"));
  await mkdir(join(root, "proj-evil"));
  const workspace = join(root, "proj");
  for (const path of [
    `${workspace}-evil/x`,
    `${workspace}/../x`,
    `${workspace}//../x`,
    "../x",
    "a/../../x",
    "/etc/passwd",
    "a\0b",
  ]) {
    expect(await resolveInWorkspace(workspace, path), path).toMatchObject({ ok: false });
  }
  expect(await resolveInWorkspace(workspace, "..%2fx")).toMatchObject({ ok: true, relative: "..%2fx" });
  expect(await resolveInWorkspace(workspace, `${workspace}/a/b`)).toMatchObject({
    ok: true,
    relative: "a/b",
    exists: false,
  });
  expect(await resolveInWorkspace(workspace, ".")).toMatchObject({ ok: true, relative: ".", exists: true });
  expect(await resolveInWorkspace(workspace, "a/../..a")).toMatchObject({ ok: true, relative: "..a" });
});

it("[A34] [25.11] a path that starts with `~` is refused, and no folder named `~` is created", async () => {
  await using folder = await tempWorkspace();
  const written = await writeTool.execute({ path: "~/notes.md", content: "x" }, folder.context());
  expect(written).toEqual({
    output:
      "~/notes.md is in the home folder, outside the workspace: only files in it can be used; nothing was changed",
    isError: true,
  });
  await mkdir(join(folder.path, "~"));
  await writeFile(join(folder.path, "~/there"), "");
  expect(await resolveInWorkspace(folder.path, "~/there")).toMatchObject({ ok: true });
  expect(await resolveInWorkspace(folder.path, "~draft.md")).toMatchObject({ ok: true });
});

it("[A35] links that lead outside, dangling links and circular links are refused", async () => {
  await using outside = await tempWorkspace();
  await using inside = await tempWorkspace();
  await writeFile(join(outside.path, "secret"), "s");
  await symlink(join(outside.path, "secret"), join(inside.path, "file"));
  await symlink(outside.path, join(inside.path, "parent"));
  await symlink(join(outside.path, "new"), join(inside.path, "dangling"));
  await symlink("loop", join(inside.path, "loop"));
  for (const path of ["file", "parent/secret", "parent/new/deep", "dangling", "loop"]) {
    const place = await resolveInWorkspace(inside.path, path);
    expect(place, path).toMatchObject({ ok: false, why: expect.stringContaining(path) });
    expect(await readTool.execute({ path }, inside.context())).toMatchObject({ isError: true });
    expect(await writeTool.execute({ path, content: "x" }, inside.context())).toMatchObject({
      isError: true,
    });
  }
});

it("[A35] a link to a file in the workspace is refused, and the error gives the real path, which rules can judge", async () => {
  await using folder = await tempWorkspace();
  await mkdir(join(folder.path, ".git"));
  await symlink(".git", join(folder.path, "innocent"));
  const place = await resolveInWorkspace(folder.path, "innocent/config");
  expect(place).toEqual({
    ok: false,
    why: "innocent/config is reached by a link: use .git/config, where it really is",
  });
});

it("the workspace folder itself can be a link", async () => {
  await using folder = await tempWorkspace();
  await using other = await tempWorkspace();
  await writeFile(join(folder.path, "a"), "x");
  const link = join(other.path, "link");
  await symlink(folder.path, link);
  expect(await resolveInWorkspace(link, "a")).toMatchObject({ ok: true, relative: "a" });
  expect(await resolveInWorkspace(link, join(link, "a"))).toMatchObject({ ok: true, relative: "a" });
  expect(await resolveInWorkspace(link, `${dirname(link)}/${basename(link)}-x`)).toMatchObject({ ok: false });
});
