// Runs one steps module in a process of its own (A82). The process has an empty environment and Node's permission model:
// it can read only Cadre's code, the module, the files that it imports, and packages. It cannot write, and it starts no program.
// It reads requests and writes answers as lines of JSON on its standard streams. The module's own output goes to standard error.

import { registerHooks } from "node:module";
import { createInterface } from "node:readline";
import type { StepsRequest, Thrown } from "./steps-protocol.ts";

type Main = (given: unknown) => Iterator<unknown, unknown, unknown>;

const iterators = new Map<number, Iterator<unknown, unknown, unknown>>();
let main: Main | undefined;

const send = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
// The permission model does not cover signals. One signal would make another Node process open its debugger.
for (const name of ["kill", "_kill", "_debugProcess", "_debugEnd"]) Reflect.deleteProperty(process, name);

async function answer(request: StepsRequest): Promise<object> {
  switch (request.do) {
    case "load":
      main = await load(request);
      return main === undefined ? { kind: "no generator" } : {};
    case "begin":
      iterators.set(request.iterator, main!(request.given));
      return {};
    case "next": {
      const found = iterators.get(request.iterator);
      if (!found) return { gone: true };
      const { done = false, value } = found.next(request.value);
      if (done) iterators.delete(request.iterator);
      return { done, ...describe(value) };
    }
    case "drop":
      iterators.delete(request.iterator);
      return {};
  }
}

async function load({ url, vocabulary }: Extract<StepsRequest, { do: "load" }>): Promise<Main | undefined> {
  // `import … from "cadre"` finds the steps, even if the project has not installed Cadre.
  registerHooks({
    resolve: (name, context, next) =>
      name === "cadre" ? { url: vocabulary, shortCircuit: true } : next(name, context),
  });
  const module = (await import(url)) as { default?: unknown };
  const isGenerator = Object.prototype.toString.call(module.default) === "[object GeneratorFunction]";
  return isGenerator ? (module.default as Main) : undefined;
}

const DEEPEST = 250;

/** The value as JSON, or only its kind if JSON cannot represent it. If the conversion throws, that is an error of the module. */
function describe(value: unknown): object {
  if (typeof value === "function" || typeof value === "symbol") return { kind: typeof value };
  if (isDeeper(value, DEEPEST)) return { kind: "deep" };
  const text = JSON.stringify(value);
  return text === undefined ? {} : { value: JSON.parse(text) as unknown };
}

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

function describeThrown(error: unknown): Thrown {
  try {
    const text = error instanceof Error ? error.message : String(error);
    const stack = (error as Error | null)?.stack;
    return typeof stack === "string" ? { text, stack } : { text };
  } catch {
    return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as StepsRequest;
  const said = await answer(request).catch((error: unknown) => ({ thrown: describeThrown(error) }));
  send(`${JSON.stringify({ id: request.id, ...said })}\n`);
}
