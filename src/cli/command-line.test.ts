// Tests how printed commands are formatted.

import { expect, test } from "vitest";
import { createCommandLine, launcherName, rewriteCommands } from "./command-line.ts";

test("printed commands start Cadre as the person did: from the PATH, from node_modules, or from a clone", () => {
  expect(launcherName("/usr/local/bin/cadre", "/p")).toBe("cadre");
  expect(launcherName("/p/node_modules/.bin/cadre", "/p")).toBe("npx cadre");
  expect(launcherName("C:\\p\\node_modules\\cadre\\bin\\cadre.js", "/p")).toBe("npx cadre");
  expect(launcherName("/src/cadre/bin/cadre.js", "/src/cadre")).toBe("node bin/cadre.js");
  expect(launcherName("/src/my cadre/bin/cadre.js", "/p")).toBe("node '/src/my cadre/bin/cadre.js'");
});

test("commands inside sentences are rewritten to name the project's folder; other text is kept", () => {
  const typed = createCommandLine("npx cadre", { cwd: "/p", folder: "/it's" });
  expect(rewriteCommands("`cadre why r1#2` shows it; cadre.yaml and `npm test` stay.", typed)).toBe(
    "`npx cadre why r1#2 -C '/it'\\''s'` shows it; cadre.yaml and `npm test` stay.",
  );
});
