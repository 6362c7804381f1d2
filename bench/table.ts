// Formats a title and a table, with names aligned left and numbers aligned right.

export function print(title: string, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("   ");
  console.log(`\n${title}\n${rows.map(line).join("\n")}`);
}

export function whole(value: number | undefined): string {
  return value === undefined ? "–" : Math.round(value).toLocaleString("en");
}

export function median(values: readonly number[] | undefined): number | undefined {
  return values?.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
