// Doctor's checks of Restate, if it is the engine: whether both of its ports answer from here.

import type { Config } from "../../config/config.ts";
import { describeSystemError } from "../../errors.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

const name = "Restate";
const ANSWER_MS = 2_000;

export async function restateChecks({
  engine,
  restate,
}: Pick<Config, "engine" | "restate">): Promise<Finding[]> {
  if (engine !== "restate") return [];
  const [ingress, admin] = await Promise.all([
    troubleAt(new URL("/restate/health", restate.ingress)),
    troubleAt(new URL("/health", restate.admin)),
  ]);
  if (ingress === undefined && admin === undefined)
    return [{ state: "ok", name, text: `answers at ${restate.ingress}, its admin port at ${restate.admin}` }];
  return [
    ...(ingress === undefined ? [] : [noIngress(`${restate.ingress} ${ingress}`)]),
    ...(admin === undefined ? [] : [noAdmin(`${restate.admin} ${admin}`)]),
  ];
}

async function troubleAt(url: URL): Promise<string | undefined> {
  try {
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    return ok ? undefined : `answers ${status}`;
  } catch (error) {
    return `does not answer (${describeSystemError(error instanceof Error ? (error.cause ?? error) : error)})`;
  }
}

/** Nothing is lost without the ingress: the due-scan of the workers finds due runs. */
const noIngress = (trouble: string): Finding => ({
  state: "warn",
  name,
  text: `${trouble}: runs continue without it, a second later`,
  fix: "start Restate, or set `restate: { ingress: … }` in cadre.yaml (CADRE_RESTATE_INGRESS)",
});

const noAdmin = (trouble: string): Finding => ({
  state: "warn",
  name,
  text: `${trouble}: new workers are not registered with it`,
  fix: "start Restate, or set `restate: { admin: … }` in cadre.yaml (CADRE_RESTATE_ADMIN)",
});
