// Masks secrets in everything this process prints (A61). Error messages quote their input, and a crash can print any value.

import { resolve } from "node:path";
import type { Mask } from "../journal/masking/mask.ts";
import { createProjectMask } from "../project/mask.ts";
import type { Io } from "./invocation.ts";
import type { Output } from "./view/screen.ts";

export function maskIo(io: Io, argv: readonly string[]): Io {
  const mask = createProjectMask({ folder: resolve(io.cwd, folderArgument(argv)), env: io.env });
  return { ...io, stdout: maskedOutput(io.stdout, mask), stderr: maskedOutput(io.stderr, mask) };
}

/** Finds the value of `--folder` without parsing the whole command line, because the command line might be invalid. */
export function folderArgument(argv: readonly string[]): string {
  const at = argv.findIndex((word) => /^(-C|--folder(=|$))/.test(word));
  const [, inline] = /^(?:-C|--folder=)(.+)$/.exec(argv[at] ?? "") ?? [];
  return inline ?? (at < 0 ? "." : (argv[at + 1] ?? "."));
}

/** Returns the same stream, but with secrets masked in everything written to it. */
function maskedOutput<T extends Output>(out: T, mask: Mask): T {
  const write = (chunk: unknown, ...rest: unknown[]): unknown =>
    Reflect.apply(out.write, out, [typeof chunk === "string" ? mask.text(chunk) : chunk, ...rest]);
  return new Proxy(out, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}
