// Transforms the syntax tree of a Markdown text (hast) before it renders.

import { revealHidden } from "../../../../src/journal/visible.ts";

export interface MarkdownNode {
  type: string;
  value?: string;
  tagName?: string;
  properties?: object;
  children?: MarkdownNode[];
}

/** A63: raw HTML becomes text. */
export const rawAsText = () => (tree: MarkdownNode) =>
  eachChild(tree, (node) => (node.type === "raw" ? [{ type: "text", value: node.value ?? "" }] : [node]));

/** A17: spells out and marks characters that hide or reverse text, even if written as entities like `&#8238;`. */
export const markHidden = () => (tree: MarkdownNode) =>
  eachChild(tree, (node) => {
    if (node.type !== "text") return [node];
    const parts = revealHidden(node.value ?? "").split(/(⟦U\+[0-9A-F]{4,6}⟧)/);
    if (parts.length === 1) return [node];
    return parts.map((value, index) => {
      const text = { type: "text", value };
      if (index % 2 === 0) return text;
      const properties = { className: ["rounded", "bg-bad-soft", "font-mono", "text-bad"] };
      return { type: "element", tagName: "mark", properties, children: [text] };
    });
  });

export const textOfNode = (node: MarkdownNode): string =>
  node.value ?? (node.children ?? []).map(textOfNode).join("");

function eachChild(node: MarkdownNode, replace: (node: MarkdownNode) => MarkdownNode[]): void {
  if (!node.children) return;
  node.children = node.children.flatMap(replace);
  for (const child of node.children) if (child.tagName !== "mark") eachChild(child, replace);
}
