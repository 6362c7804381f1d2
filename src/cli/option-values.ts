// Parses the values of options and arguments. An invalid value is refused with a one-sentence error.

import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { readPlainFile } from "../config/plain-file.ts";
import { CadreError, describeSystemError } from "../errors.ts";
import { fileSize, MAX_MESSAGE_BYTES } from "../journal/attachment.ts";
import { usageError } from "./invocation.ts";

/** Returns the text if it is one of the allowed words; otherwise throws. `more` is appended to the error's sentence. */
export function parseChoice<T extends string>(
  option: string,
  text: string,
  known: readonly T[],
  more = "",
): T {
  const choice = known.find((word) => word === text);
  if (choice !== undefined) return choice;
  throw usageError(`${option} ${text}: it is one of ${known.join(", ")}${more}.`);
}

export function parseCount(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw usageError(`${option} ${text}: give a whole number from 1 to ${most}.`);
}

/** The format for `parseAmount`, for error sentences. The quotes keep a shell from replacing `$5` with its own variable. */
export const AMOUNT_FORM = "Write '$5' (in quotes) or 5usd for dollars, and 20k or 20000 tokens for tokens";

/** Parses `$5` and `5usd` as dollars; `20k`, `1.5m` and `20000 tokens` as tokens. A number without a unit is refused. */
export function parseAmount(text: string): { unit: "maxCost" | "maxTokens"; amount: number } | undefined {
  const [, dollar, digits, unit = ""] =
    /^(\$?)\s*(\d[\d_,]*(?:\.\d+)?|\.\d+)\s*([a-z]+(?: tokens?)?)?$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits.replaceAll(/[_,]/g, ""));
  if (dollar === "$") return unit === "" ? { unit: "maxCost", amount: number } : undefined;
  if (/^(usd|dollars?)$/i.test(unit)) return { unit: "maxCost", amount: number };
  const factor = TOKEN_UNITS[unit.toLowerCase().replace(/ ?tokens?$/, "")];
  if (unit === "" || factor === undefined) return undefined;
  // Rounds away the floating-point error of a factor such as 1.1 m.
  const amount = Math.round(number * factor * 1e3) / 1e3;
  return Number.isInteger(amount) ? { unit: "maxTokens", amount } : undefined;
}

const TOKEN_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/** Reads a file that the person named. `nothing` is the end of the error's text and says what was not done. */
export function readGivenFile(
  path: string,
  nothing: string,
  { shown = path, max }: { shown?: string; max?: number } = {},
): string {
  try {
    return max === undefined ? readFileSync(path, "utf8") : readPlainFile(path, max);
  } catch (error) {
    throw usageError(`${shown} cannot be read (${describeSystemError(error)}). ${nothing}`);
  }
}

/** Reads a text that is piped to the command. `nothing` is the end of the error's text and says what was not done. */
export async function readStdin(stdin: AsyncIterable<Buffer | string>, nothing: string): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > MAX_STDIN)
      throw usageError(
        `Stdin has more than ${fileSize(MAX_STDIN)}, which is too long for a task. ${nothing}`,
      );
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

const MAX_STDIN = 1_000_000;

/** Reads the files of `--attach`. The server checks their types. A file that is too large for any type is not read. */
export function readAttachments(
  paths: readonly string[] | undefined,
  cwd: string,
  nothing: string,
): { attachments?: { name: string; data: string }[] } {
  if (paths === undefined || paths.length === 0) return {};
  const attachments = paths.map((path) => {
    try {
      const file = resolve(cwd, path);
      const { size } = statSync(file);
      if (size > MAX_MESSAGE_BYTES)
        throw usageError(
          `${path} is ${fileSize(size)}, and ${fileSize(MAX_MESSAGE_BYTES)} can be attached. ${nothing}`,
        );
      return { name: basename(path), data: readFileSync(file).toString("base64") };
    } catch (error) {
      if (error instanceof CadreError) throw error;
      throw usageError(`${path} cannot be read (${describeSystemError(error)}). ${nothing}`);
    }
  });
  return { attachments };
}
