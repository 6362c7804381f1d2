/** The change that a Write or Edit call requests, as a diff; undefined for other calls. */
export function patchOfCall(tool: string, input: unknown): string | undefined {
  const field = (name: string): string | undefined => {
    const value = (input as Record<string, unknown> | null)?.[name];
    return typeof value === "string" ? value : undefined;
  };
  const content = field("content");
  if (tool === "Write" && content !== undefined) return markLines("+", content);
  const [before, after] = [field("old_string"), field("new_string")];
  if (tool === "Edit" && before !== undefined && after !== undefined)
    return `${markLines("-", before)}\n${markLines("+", after)}`;
  return undefined;
}

const markLines = (mark: string, text: string): string => text.replace(/\n$/, "").replace(/^/gm, mark);
