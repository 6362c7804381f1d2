// Reads the option `--input`: JSON, or `@file` for a file that contains JSON.

import { resolve } from "node:path";
import { readPlainFile } from "../../config/plain-file.ts";
import { CadreError, describeSystemError, messageOf } from "../../errors.ts";

const MAX_FILE = 1_000_000;

export function readInputOption(given: string, cwd: string): unknown {
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const text = file === undefined ? given : textOf(file, cwd);
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = file === undefined ? "--input" : file;
    const hint = file === undefined ? " Give JSON, or @file with a file that has it." : "";
    throw new CadreError("USAGE", `${what} is no JSON: ${messageOf(error)}.${hint} Nothing was started.`);
  }
}

function textOf(file: string, cwd: string): string {
  try {
    return readPlainFile(resolve(cwd, file), MAX_FILE);
  } catch (error) {
    throw new CadreError(
      "USAGE",
      `${file} cannot be read: ${describeSystemError(error)}. Nothing was started.`,
    );
  }
}
