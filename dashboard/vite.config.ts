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
            { name: "shared", minShareCount: 3, maxModuleSize: 20_000 },
          ],
        },
      },
    },
    // Lists the licences of bundled packages. The published page mentions these licences nowhere else.
    license: { fileName: "third-party.md" },
  },
});
