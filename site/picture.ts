// A Mermaid diagram as SVG that stands in the page: in the colours of the site, light or dark, and with nothing from elsewhere.

import { renderMermaidSVG } from "beautiful-mermaid";

export function pictureOf(diagram: string): string {
  const svg = renderMermaidSVG(diagram, {
    bg: "var(--sl-color-bg)",
    fg: "var(--sl-color-text)",
    muted: "var(--sl-color-gray-3)",
    accent: "var(--sl-color-text-accent)",
    font: "system-ui",
    padding: 8,
  });
  // Each has an import of a font from the network; the renderer draws nothing for what it does not understand.
  const own = svg.replaceAll(/@import url\([^)]*\);?/g, "").replaceAll(/\n\s*/g, " ");
  if (!/<(rect|path|polygon|line|polyline)/.test(own)) throw new Error(`Nothing is drawn for:\n${diagram}`);
  return `<figure class="picture">${own}</figure>\n`;
}
