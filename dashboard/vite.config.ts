import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { alias: { zod: fileURLToPath(new URL("./zod-stub.ts", import.meta.url)) } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The server's policy allows nothing inline, so every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Modules shared with the server have no side effects, so unused parts of them are dropped.
      treeshake: {
        moduleSideEffects: [
          { test: /\/src\/(api|config|journal|patterns|projections)\//, sideEffects: false },
        ],
      },
      output: {
        codeSplitting: {
          // Otherwise each icon is a separate file, and a page loads forty of them.
          groups: [
            { name: "main", tags: ["$initial"] },
            { name: "shared", minShareCount: 3, maxModuleSize: 20_000 },
          ],
        },
      },
    },
    // Lists the licences of bundled packages, which the published page mentions nowhere else.
    license: { fileName: "third-party.md" },
  },
});
