import { useState } from "react";
import type { Why } from "../../../../src/projections/views/why.ts";
import { whyMarkdown } from "../../../../src/projections/views/why-markdown.ts";
import { Button } from "../../ui/button.tsx";
import { eventLink } from "./journals.ts";

export function CopyMarkdown({ why }: { why: Why }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(whyMarkdown(why, eventLink));
    setCopied(true);
  };
  return (
    <Button size="small" className="max-md:h-10" onClick={() => void copy()}>
      {copied ? "Copied" : "Copy as Markdown"}
    </Button>
  );
}
