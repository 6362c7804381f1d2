import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Parts that every page shows: names, badges, buttons and dialogs. */
const WORDS =
  /\/src\/projections\/(words\/|usage\/run-usage)|\/dashboard\/src\/(ui|live\/me|display\/(status|time|agent|visible))|lucide-react|@radix-ui/;
/** Parts that read journals. The list of runs does not need them. */
const JOURNALS =
  /\/src\/(projections\/(folds|views)|patterns|loop)\/|\/dashboard\/src\/(components\/(conversation|inbox|outcome|why)|display\/(approval-title|diff|terminal))|node_modules\/diff\//;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { alias: { zod: fileURLToPath(new URL("./zod-stub.ts", import.meta.url)) } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The server's content security policy allows nothing inline, so every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Modules shared with the server have no side effects, so the bundler removes their unused parts.
      treeshake: {
        moduleSideEffects: [
          { test: /\/src\/(api|config|journal|patterns|projections)\//, sideEffects: false },
        ],
      },
      output: {
        codeSplitting: {
          // These groups join small modules. Otherwise each icon would be a separate file, and a page would load forty of them.
          groups: [
            { name: "main", tags: ["$initial"] },
            // A group takes the modules that it imports along, so the small ones come first: every page loads the words.
            { name: "words", minShareCount: 3, test: WORDS },
            { name: "journals", minShareCount: 3, test: JOURNALS },
            { name: "shared", minShareCount: 3, maxModuleSize: 20_000 },
          ],
        },
      },
    },
    // Lists the licences of bundled packages. The published page mentions these licences nowhere else.
    license: { fileName: "third-party.md" },
  },
});
