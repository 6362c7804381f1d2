import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // What the page loads must have a name of its own: the door allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // What the page shares with the server does nothing when it is loaded. Its schemas, and zod, are not needed here.
      treeshake: { moduleSideEffects: [{ test: /\/src\/(api|journal|projections)\//, sideEffects: false }] },
      output: {
        codeSplitting: {
          // Otherwise each icon is a file of its own, and a page asks for forty.
          groups: [
            { name: "main", tags: ["$initial"] },
            { name: "shared", minShareCount: 3, maxModuleSize: 20_000 },
          ],
        },
      },
    },
    // Whose work is in it, and under which terms: what is published has no other trace of them.
    license: { fileName: "third-party.md" },
  },
});
