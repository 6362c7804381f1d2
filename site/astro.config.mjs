import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import sidebar from "./src/sidebar.json" with { type: "json" };

export default defineConfig({
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "Cadre",
      description: "Runs trees of LLM agents as durable, inspectable work.",
      customCss: ["./src/site.css"],
      sidebar,
    }),
  ],
});
