import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSocketKey, readSocketKey, socketSecretFile } from "./socket-key.ts";

let root: string;
let env: Record<string, string>;
const socketIn = (project: string): string => {
  mkdirSync(join(root, project), { recursive: true });
  return join(root, project, "cadre.sock");
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "cadre-key-"));
  env = { XDG_CONFIG_HOME: join(root, "config") };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("[A93] [30.10] the key of a socket", () => {
  test("the client reads the key that the server has created, and only the user can read the secret", () => {
    const socket = socketIn("a");
    expect(readSocketKey(socket, env)).toBeUndefined();
    const key = createSocketKey(socket, env);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(readSocketKey(socket, env)).toBe(key);
    expect(createSocketKey(socket, env)).toBe(key);
    expect(statSync(socketSecretFile(env)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(root, "config", "cadre"))).toEqual(["socket.key"]);
    expect(readdirSync(join(root, "a"))).toEqual([]);
  });

  test("each socket has its own key, by whichever path it is named, and no key is the secret", () => {
    const key = createSocketKey(socketIn("a"), env);
    expect(createSocketKey(socketIn("b"), env)).not.toBe(key);
    symlinkSync(join(root, "a"), join(root, "link"));
    expect(readSocketKey(join(root, "link", "cadre.sock"), env)).toBe(key);
    expect(key).not.toContain(readFileSync(socketSecretFile(env), "utf8").trim());
    expect(createSocketKey(socketIn("a"), { XDG_CONFIG_HOME: join(root, "other") })).not.toBe(key);
  });

  test.each(["", "\n", "short", `${"0".repeat(64)}0`])("a secret file with %j gives no key", (text) => {
    mkdirSync(join(root, "config", "cadre"), { recursive: true });
    writeFileSync(socketSecretFile(env), text);
    expect(readSocketKey(socketIn("a"), env)).toBeUndefined();
    expect(() => createSocketKey(socketIn("a"), env)).toThrow("socket.key, cannot be used");
    expect(readFileSync(socketSecretFile(env), "utf8")).toBe(text);
  });

  test("a folder that cannot be made gives no key", () => {
    writeFileSync(join(root, "config"), "a file");
    expect(() => createSocketKey(socketIn("a"), env)).toThrow("cannot be used");
    expect(readSocketKey(socketIn("a"), env)).toBeUndefined();
  });
});
