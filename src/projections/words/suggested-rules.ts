// A suggested permission rule as text, and the YAML lines that add the rule. Both are the same in the terminal and on the page.

export interface SuggestedRule {
  rule: string;
  spared: number;
  of: number;
  refused: number;
}

/** The effect of the rule: `would have allowed 37 of the 41 such calls that people allowed, and none of the 6 that they refused`. */
export function describeSuggestion({ spared, of, refused }: SuggestedRule): string {
  const all = spared === of ? `all ${of}` : `${spared} of the ${of}`;
  return `would have allowed ${all} such calls that people allowed${refusedWords(refused)}`;
}

function refusedWords(refused: number): string {
  if (refused === 0) return "; they refused none of that kind";
  return refused === 1
    ? ", and not the one that they refused"
    : `, and none of the ${refused} that they refused`;
}

/** The rule for cadre.yaml. A person adds it by hand, because it applies to all users. */
export const ruleYaml = (rule: string): string => `permissions:\n  allow:\n    - ${JSON.stringify(rule)}`;

export const SUGGESTION_HELP =
  "Add it to the rules in cadre.yaml. Allow rules apply in folders that you trust (cadre trust). Unsafe calls still ask once untrusted text has entered a run.";
