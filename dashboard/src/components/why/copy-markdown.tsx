import type { Why } from "../../../../src/projections/views/why.ts";
import { whyMarkdown } from "../../../../src/projections/views/why-markdown.ts";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { eventLink } from "./journals.ts";

export function CopyMarkdown({ why }: { why: Why }) {
  const { copied, copy } = useCopy(() => whyMarkdown(why, eventLink));
  return (
    <Button size="small" className="max-md:h-10" onClick={copy}>
      {copied ? "Copied" : "Copy as Markdown"}
    </Button>
  );
}
