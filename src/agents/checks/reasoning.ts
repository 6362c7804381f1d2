// Reports that a model cannot reason as the agent's file asks.
// For the first model of a Cadre file, this is an error. In all other cases it is a warning, and the model's nearest setting is used.

import { errorAt, warningAt } from "../../patterns/declarations/finding.ts";
import type { Check } from "./check.ts";

export const checkReasoning: Check = ({ definition }, { reasoningProblem }) => {
  const { reasoning, models, dialect } = definition;
  if (reasoning === undefined || !reasoningProblem) return [];
  return models.flatMap((model, index) => {
    const problem = reasoningProblem(model, reasoning);
    if (problem === undefined) return [];
    const isError = index === 0 && dialect === undefined;
    const message = `\`${model}\` ${problem}`;
    return isError
      ? [errorAt("reasoning", "REASONING_UNSUPPORTED", message)]
      : [warningAt("reasoning", "REASONING_UNSUPPORTED", `${message}. The nearest setting is used`)];
  });
};
