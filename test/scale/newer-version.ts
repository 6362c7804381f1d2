// Makes a process behave like a newer Cadre that writes the next journal format: `node --import newer-version.ts …`.

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith("/src/journal/upcast.ts")) return loaded;
    const source = readFileSync(fileURLToPath(url), "utf8")
      .replace("JOURNAL_VERSION = 1;", "JOURNAL_VERSION = 2;")
      .replace("STEPS: Step[] = [];", "STEPS: Step[] = [(_type, payload) => payload];");
    return { ...loaded, source };
  },
});
