// Renders a Mermaid diagram as inline SVG. It uses the site's light or dark colours and loads nothing from the network.

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
  // Remove the web font that every SVG imports. If the renderer does not understand a diagram, it draws nothing.
  const own = svg.replaceAll(/@import url\([^)]*\);?/g, "").replaceAll(/\n\s*/g, " ");
  if (!/<(rect|path|polygon|line|polyline)/.test(own))
    throw new Error(`The renderer cannot draw this diagram:\n${diagram}`);
  return `<figure class="picture">${own}</figure>\n`;
}
