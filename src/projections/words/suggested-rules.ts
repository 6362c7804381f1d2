// A suggested rule in words, and the lines by which it is accepted: the same in the terminal and in the browser.

export interface SuggestedRule {
  rule: string;
  spared: number;
  of: number;
  refused: number;
}

/** `would have let pass 37 of the 41 such calls that people allowed, and none of the 6 that they refused`. */
export function describeSuggestion({ spared, of, refused }: SuggestedRule): string {
  const all = spared === of ? `all ${of}` : `${spared} of the ${of}`;
  return `would have let pass ${all} such calls that people allowed${refusedWords(refused)}`;
}

function refusedWords(refused: number): string {
  if (refused === 0) return "; they refused none of that kind";
  return refused === 1
    ? ", and not the one that they refused"
    : `, and none of the ${refused} that they refused`;
}

/** As it stands in cadre.yaml: a rule for everybody is for a person to write. */
export const ruleYaml = (rule: string): string => `permissions:\n  allow:\n    - ${JSON.stringify(rule)}`;

export const SUGGESTION_HELP =
  "Write it into cadre.yaml, beside the rules that are there. An allow counts in a folder that you trust (cadre trust); what cannot be taken back is asked about all the same once strangers' words have come in.";
