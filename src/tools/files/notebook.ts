// Shows a Jupyter notebook as text: its cells with their outputs, without images and metadata.

import { stripVTControlCharacters } from "node:util";
import { z } from "zod";

const Text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))]);

const Output = z.looseObject({
  text: Text.optional(),
  data: z.looseObject({ "text/plain": Text.optional() }).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});

const Notebook = z.looseObject({
  cells: z.array(z.looseObject({ cell_type: z.string(), source: Text, outputs: z.array(Output).optional() })),
});

/** Shows the cells of a notebook as text. Undefined if the text is not a notebook. */
export function notebookText(json: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json.replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
  const { data: notebook } = Notebook.safeParse(value);
  if (!notebook) return undefined;
  if (notebook.cells.length === 0) return "(a notebook without cells)";
  return notebook.cells
    .map(({ cell_type: type, source, outputs = [] }, index) => {
      const shown = outputs.map(outputText).filter((text) => text !== "");
      return [`# cell ${index + 1} (${type})`, source, ...shown.map((text) => `# output\n${text}`)].join(
        "\n",
      );
    })
    .join("\n\n");
}

function outputText({ text, data = {}, ename, evalue, traceback = [] }: z.infer<typeof Output>): string {
  if (ename !== undefined)
    return stripVTControlCharacters(
      traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue ?? ""}`,
    );
  const plain = text ?? data["text/plain"];
  const others = Object.keys(data).filter((kind) => kind !== "text/plain");
  return [
    ...(plain === undefined ? [] : [stripVTControlCharacters(plain)]),
    ...(others.length === 0 ? [] : [`(${others.join(", ")}, not shown)`]),
  ].join("\n");
}
