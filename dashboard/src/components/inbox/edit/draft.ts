// A call's input while a person edits it: one text per field, or one JSON text if the input is not an object.

export interface DraftField {
  name: string;
  text: string;
}

export interface Draft {
  fields: readonly DraftField[];
  /** Index of the field that people edit most often. */
  main: number;
  /** The edited input; undefined while a field cannot be parsed. */
  input: unknown;
  problem: string | undefined;
  with(name: string, text: string): Draft;
}

const AS_JSON = "input (JSON)";
const MAIN = ["command", "content", "new_string", "task", "url"];

export function draftOf(input: unknown): Draft {
  const isPlain = typeof input === "object" && input !== null && !Array.isArray(input);
  if (!isPlain) return draftFrom([{ name: AS_JSON, text: jsonOf(input) }], { [AS_JSON]: false });
  const entries = Object.entries(input);
  const isText = Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "string"]));
  return draftFrom(
    entries.map(([name, value]) => ({ name, text: typeof value === "string" ? value : jsonOf(value) })),
    isText,
  );
}

function draftFrom(fields: readonly DraftField[], isText: Record<string, boolean>): Draft {
  const main = Math.max(
    0,
    fields.findIndex(({ name }) => MAIN.includes(name)),
  );
  return {
    fields,
    main,
    ...parseFields(fields, isText),
    with: (name, text) =>
      draftFrom(
        fields.map((field) => (field.name === name ? { name, text } : field)),
        isText,
      ),
  };
}

function parseFields(
  fields: readonly DraftField[],
  isText: Record<string, boolean>,
): Pick<Draft, "input" | "problem"> {
  const values: Record<string, unknown> = {};
  for (const { name, text } of fields) {
    try {
      values[name] = isText[name] ? text : JSON.parse(text);
    } catch {
      return { input: undefined, problem: `${name} is not valid JSON.` };
    }
  }
  return { input: AS_JSON in isText ? values[AS_JSON] : values, problem: undefined };
}

const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? "";
