// A model that plays a script, for tests of programs. It needs no key and no network.

import { CadreError } from "../errors.ts";
import type { Model } from "../models/model.ts";
import { createScriptedModel } from "../models/scripted/model.ts";
import { type Script, type ScriptedRequest, ScriptedTurn } from "../models/scripted/script.ts";

/** One answer of the model: text, tool calls, or a report. `when` selects the calls that it answers. */
export type ScriptedAnswer = ScriptedTurn;
export type { ScriptedRequest };

/**
 * Makes a model from a list of answers, which it gives turn by turn, or from a function.
 * The function is called again after a restart, so it must depend only on its argument.
 */
export function scriptedModel(
  script: readonly ScriptedAnswer[] | ((request: ScriptedRequest) => ScriptedAnswer | undefined),
): Model {
  return createScriptedModel(typeof script === "function" ? script : turnByTurn(script));
}

function turnByTurn(script: readonly ScriptedAnswer[]): Script {
  const turns = script.map((answer, index) => {
    const checked = ScriptedTurn.safeParse({ when: { turn: index + 1 }, ...answer });
    if (checked.success) return checked.data;
    const problem = checked.error.issues
      .map(({ path, message }) => `${path.join(".")} ${message}`)
      .join("; ");
    throw new CadreError("CONFIG_INVALID", `Answer ${index + 1} of the scripted model: ${problem}.`);
  });
  return { turns };
}
