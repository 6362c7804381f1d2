import { JsonView } from "../../display/json-view.tsx";
import { Ansi } from "../../display/terminal/ansi.tsx";
import { VisibleText } from "../../display/visible-text.tsx";

/** A part of a message in a prompt, as the provider's contract has it. */
export interface PromptPart {
  type: string;
  text?: string;
  toolName?: string;
  input?: unknown;
  output?: { type: string; value: unknown };
  mediaType?: string;
  filename?: string;
}

export const PROMPT_ROLES = { user: "accent", assistant: "plain", tool: "info" } as const;

export const partLength = ({ text, input, output }: PromptPart): number =>
  text?.length ?? (JSON.stringify(output?.value ?? input) ?? "").length;

export function PromptPartView({ part }: { part: PromptPart }) {
  const { type, text, input, output, mediaType, filename } = part;
  const words = text ?? (typeof output?.value === "string" ? output.value : undefined);
  if (words !== undefined) return <Ansi text={words} />;
  if (type === "file")
    return (
      <p className="text-muted text-xs">
        File: <VisibleText text={[filename, mediaType].filter(Boolean).join(", ")} />
      </p>
    );
  return <JsonView value={output?.value ?? input} />;
}
