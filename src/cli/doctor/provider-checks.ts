// Doctor's checks of this project's model providers: whether each provider answers and accepts our key.

import { messageOf } from "../../errors.ts";
import type { Project } from "../../project/project.ts";
import { plural } from "../../projections/words/format.ts";
import type { Finding } from "../../runtime/checks/machine.ts";

const name = "provider";
const SKEW_MS = 2 * 60_000;

export async function providerChecks({ models, agents, defaultModel }: Project): Promise<Finding[]> {
  const own = [...(await agents()).agents.values()].filter(({ scope }) => scope !== "builtin");
  const named = [defaultModel, ...own.flatMap(({ definition }) => definition?.models ?? [])];
  const providers = new Set(named.map((model) => models.fullName(model).split("/")[0]!));
  providers.delete("scripted");
  const findings = await Promise.all([...providers].map((provider) => checkProvider(provider, models)));
  return findings.flat();
}

const unknown = (provider: string): Finding => ({
  state: "bad",
  name,
  text: `${provider} is unknown here, so agents that use it cannot run`,
  fix: `configure it under \`providers\` in cadre.yaml; if it is there, run \`cadre trust\``,
});

async function checkProvider(provider: string, models: Project["models"]): Promise<Finding[]> {
  if (!models.providers.includes(provider)) return [unknown(provider)];
  try {
    const { host, variables, reached, hint } = await models.reach(provider);
    if ("problem" in reached) return [unreachable(provider, host, reached.problem)];
    const skew = clockSkew(provider, reached.time, Date.now());
    const answer =
      cloudRefusal(provider, reached.status, hint) ?? answerOf(provider, reached.status, variables);
    return [answer, ...(skew ? [skew] : [])];
  } catch (error) {
    return [{ state: "warn", name, text: messageOf(error) }];
  }
}

const unreachable = (provider: string, host: string, why: string): Finding => ({
  state: "bad",
  name,
  text: `${provider} cannot be reached at ${host} (${why}); runs wait for it and continue by themselves`,
  fix: `check the network and the proxy, or \`providers: { ${provider}: { baseURL: … } }\` in cadre.yaml`,
});

/** A cloud can permit calls of a model without permitting the list of models, so its refusal is only a warning. */
function cloudRefusal(provider: string, status: number, hint: string | undefined): Finding | undefined {
  if (hint === undefined || (status !== 401 && status !== 403)) return undefined;
  const text = `${provider} answers, but does not show its models to this sign-in (${status}); runs may still work`;
  return { state: "warn", name, text, fix: `if runs fail too, ${hint}` };
}

function answerOf(provider: string, status: number, variables: readonly string[]): Finding {
  if (status === 401 || status === 403) {
    const fix =
      variables.length > 0 ? `check ${variables.join(" or ")}` : "give it a key: `apiKeyEnv` in cadre.yaml";
    return { state: "bad", name, text: `${provider} answers, but refuses the key (${status})`, fix };
  }
  if (status >= 500)
    return { state: "warn", name, text: `${provider} answers with ${status}`, fix: "try later" };
  const takes = status === 200 && variables.length > 0 ? ", and accepts the key" : "";
  return { state: "ok", name, text: `${provider} answers${takes}` };
}

export function clockSkew(provider: string, theirs: number | undefined, now: number): Finding | undefined {
  if (theirs === undefined || Math.abs(theirs - now) < SKEW_MS) return undefined;
  const minutes = plural(Math.round(Math.abs(theirs - now) / 60_000), "minute");
  const text = `${minutes} ${theirs > now ? "behind" : "ahead of"} the clock of ${provider}`;
  return { state: "warn", name: "clock", text, fix: "set the clock; deadlines and expiries depend on it" };
}
