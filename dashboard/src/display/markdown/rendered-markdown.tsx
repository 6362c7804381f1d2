// A62, A63: renders untrusted Markdown.
// Raw HTML is shown as text, images are never loaded, and links show their host.
// Headings are shown as bold lines, so the text cannot affect the structure of the page.

import { ExternalLink, ImageOff } from "lucide-react";
import { type ComponentProps, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components, type ExtraProps, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { revealHidden } from "../../../../src/journal/visible.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { safeLink } from "./safe-link.ts";

export const RenderedMarkdown = memo(function RenderedMarkdown({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-2 wrap-anywhere">
      <ReactMarkdown
        remarkPlugins={REMARK}
        rehypePlugins={REHYPE}
        components={COMPONENTS}
        urlTransform={(url) => url}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});

/** A node in the syntax tree of a Markdown text (hast). */
interface MarkdownNode {
  type: string;
  value?: string;
  tagName?: string;
  properties?: object;
  children?: MarkdownNode[];
}

/** A63: shows raw HTML as text. */
const rawAsText = () => (tree: MarkdownNode) =>
  eachChild(tree, (node) => (node.type === "raw" ? [{ type: "text", value: node.value ?? "" }] : [node]));

/** A17: spells out and marks characters that hide or reverse text, even if the text writes them as entities like `&#8238;`. */
const markHidden = () => (tree: MarkdownNode) =>
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

const textOfNode = (node: MarkdownNode): string =>
  node.value ?? (node.children ?? []).map(textOfNode).join("");

function eachChild(node: MarkdownNode, replace: (node: MarkdownNode) => MarkdownNode[]): void {
  if (!node.children) return;
  node.children = node.children.flatMap(replace);
  for (const child of node.children) if (child.tagName !== "mark") eachChild(child, replace);
}

/** The alignment of a table's column. */
const ALIGN: [string, ...string[]] = ["align", "left", "center", "right"];

const SCHEMA = {
  ...defaultSchema,
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"] },
  attributes: {
    a: ["href"],
    img: ["src", "alt"],
    code: [["className", /^language-[\w+-]{1,30}$/]],
    input: [["type", "checkbox"], "checked"],
    ol: ["start"],
    th: [ALIGN],
    td: [ALIGN],
  },
} satisfies typeof defaultSchema;

const REMARK: Options["remarkPlugins"] = [remarkGfm];
const REHYPE: Options["rehypePlugins"] = [rawAsText, [rehypeSanitize, SCHEMA], markHidden];

function Link({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const target = safeLink(href);
  if (!target)
    return (
      <span>
        {children}
        {href && <code className="text-muted text-xs"> ({href})</code>}
      </span>
    );
  return (
    <>
      <a href={target.href} target="_blank" rel="noreferrer noopener" className="text-accent underline">
        {children}
      </a>
      <span className="text-muted text-xs"> ({target.host})</span>
    </>
  );
}

function Picture({ src, alt }: { src?: unknown; alt?: string | undefined }) {
  const target = safeLink(typeof src === "string" ? src : undefined);
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5 rounded-md border border-line border-dashed px-2 py-1 text-muted text-xs">
      <ImageOff size={13} aria-hidden />
      Image not loaded{alt ? `: ${alt}` : ""}
      {target && (
        <a
          href={target.href}
          target="_blank"
          rel="noreferrer noopener"
          className="inline-flex items-center gap-1 text-accent underline"
        >
          open {target.host} in a new tab <ExternalLink size={11} aria-hidden />
        </a>
      )}
    </span>
  );
}

function Code({ node, children }: ComponentProps<"pre"> & ExtraProps) {
  return (
    <div className="relative rounded-md border border-line bg-canvas">
      <pre className="whitespace-pre-wrap p-2 pr-10 font-mono text-xs [&_code]:bg-transparent [&_code]:p-0">
        {children}
      </pre>
      <CopyButton text={node ? textOfNode(node) : ""} label="Copy code" className="absolute top-1 right-1" />
    </div>
  );
}

const Heading = ({ children }: { children?: ReactNode }) => <p className="pt-1 font-semibold">{children}</p>;

const COMPONENTS: Components = {
  a: Link,
  img: Picture,
  pre: Code,
  // Agents write one line per thought. Without its line breaks, an answer runs together.
  p: ({ children }) => <p className="whitespace-pre-line">{children}</p>,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  code: ({ children }) => <code className="rounded bg-raised px-1 font-mono text-xs">{children}</code>,
  ul: ({ children }) => <ul className="list-disc pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal pl-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-line border-l-2 pl-3 text-muted">{children}</blockquote>
  ),
  hr: () => <hr className="border-line" />,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="border-collapse text-sm">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th className="border border-line bg-raised px-2 py-1 text-left font-semibold" style={style}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td className="border border-line px-2 py-1" style={style}>
      {children}
    </td>
  ),
  input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
};
