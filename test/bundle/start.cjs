// Starts a bundled program with what V8 has compiled of it before. Node's own cache holds no function that was not compiled
// while its file was read, and compiling the others once more in each process takes a third of a short life.
//  - `CADRE_TEST_TRAINS=1`: when it ends, what was compiled by then is kept for those that come after.
//  - V8 refuses what another version of it has compiled, or one with other flags; then it compiles as usual.

const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { constants, Script } = require("node:vm");

exports.start = (folder, entry) => {
  const outside = createRequire(join(folder, entry));
  const loaded = new Map();
  const load = (id) => {
    if (!id.startsWith("./")) return outside(id);
    const known = loaded.get(id);
    if (known) return known.module.exports;
    const filename = join(folder, id);
    const script = new Script(`(function (module, exports, require) {${readFileSync(filename, "utf8")}\n})`, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(existsSync(`${filename}.compiled`) ? { cachedData: readFileSync(`${filename}.compiled`) } : {}),
    });
    const module = { exports: {} };
    loaded.set(id, { module, script, filename });
    script.runInThisContext()(module, module.exports, load);
    return module.exports;
  };
  if (process.env["CADRE_TEST_TRAINS"])
    process.on("exit", () => {
      for (const { script, filename } of loaded.values())
        writeFileSync(`${filename}.compiled`, script.createCachedData());
    });
  load(entry);
};
