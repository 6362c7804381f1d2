// Starts a bundled program with V8's cached code. Node's own cache lacks the functions that V8 compiles lazily, and compiling
// them again takes a third of the time of a short process.
//  - With `CADRE_TEST_TRAINS=1` the process saves everything it has compiled when it exits, for later processes.
//  - V8 rejects a cache from another version or with other flags, and then compiles as usual.

const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { constants, Script } = require("node:vm");

/** Node warns about the loader of dynamic imports in a bundle. A program that runs from its sources has no such loader. */
const { emitWarning } = process;
process.emitWarning = (warning, ...rest) => {
  if (!String(warning).includes("USE_MAIN_CONTEXT_DEFAULT_LOADER"))
    emitWarning.call(process, warning, ...rest);
};

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
