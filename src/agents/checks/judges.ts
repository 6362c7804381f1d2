// A judge says itself which draft it picks (S1-4): one that gives its answer away would be found out when every draft is
// paid for.

import { type Check, errorAt } from "./check.ts";

const GIVE_AWAY = ["handoff", "router"] as const;

export const checkJudges: Check = ({ definition }, { agents }) => {
  const judge = definition.bestOf?.judge;
  const found = judge === undefined ? undefined : agents.get(judge)?.definition;
  return GIVE_AWAY.filter((key) => found?.[key] !== undefined).map((key) =>
    errorAt(
      "bestOf",
      "JUDGE_GIVES_AWAY",
      `\`${judge}\` cannot judge: by its \`${key}\` the answer is another's`,
      {
        names: judge!,
      },
    ),
  );
};
