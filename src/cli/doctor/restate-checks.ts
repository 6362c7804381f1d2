// Doctor's checks of Restate, if Restate is the engine: whether each of its two ports answers from here.

import type { Config } from "../../config/config.ts";
import { describeSystemError } from "../../errors.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

const name = "Restate";
const ANSWER_MS = 2_000;

export async function restateChecks({
  engine,
  restate: { ingress, admin },
}: Pick<Config, "engine" | "restate">): Promise<Finding[]> {
  if (engine !== "restate") return [];
  const findings = await Promise.all([
    // No run is lost if the ingress does not answer: the workers also scan the store for due runs.
    checkPort("ingress", new URL("/restate/health", ingress), "runs continue without it, a second later"),
    checkPort("admin", new URL("/health", admin), "new workers are not registered with it"),
  ]);
  const problems = findings.filter((finding) => finding !== undefined);
  if (problems.length > 0) return problems;
  return [{ state: "ok", name, text: `answers at ${ingress}, its admin port at ${admin}` }];
}

async function checkPort(key: "ingress" | "admin", url: URL, effect: string): Promise<Finding | undefined> {
  const trouble = await troubleAt(url);
  if (trouble === undefined) return undefined;
  const variable = `CADRE_RESTATE_${key.toUpperCase()}`;
  return {
    state: "warn",
    name,
    text: `${url.origin} ${trouble}: ${effect}`,
    fix: `start Restate, or set \`restate: { ${key}: … }\` in cadre.yaml (${variable})`,
  };
}

async function troubleAt(url: URL): Promise<string | undefined> {
  try {
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return ok ? undefined : `answers ${status}`;
  } catch (error) {
    return `does not answer (${describeSystemError(error instanceof Error ? (error.cause ?? error) : error)})`;
  }
}
