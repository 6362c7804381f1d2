// What every model of this folder answers, so that all programs get the same answers: it calls each tool once, and then answers.

import { note } from "./tools.js";

const INPUTS = { weather: { city: "Ulm" }, refund: { order: "7", cents: 500 } };

/** Notes each call in calls.log. `tools` maps names to JSON Schemas of inputs. `results` are the texts of the tool results so far. */
export function answer({ tools, results, wantsJson }) {
  note("calls.log", "call");
  const calls = Object.entries(tools).map(([name, schema], index) => ({
    ...{ id: `call-${index}`, name },
    input: INPUTS[name] ?? Object.fromEntries((schema.required ?? []).map((key) => [key, "Judge the plan"])),
  }));
  if (calls.length > 0 && results.length === 0) return { calls };
  const text = results.length === 0 ? "Hello, Ada!" : `The tools said: ${results.join(" ")}`;
  return { text: wantsJson ? '{"refunded":500}' : text };
}
