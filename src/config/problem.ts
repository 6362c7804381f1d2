// A problem in a file that a person wrote, with its position. Agent files and cadre.yaml share this form.

export interface Problem {
  file: string;
  /** Line and column are counted from 1. */
  line: number;
  column: number;
  /** A stable code for editors and CI, such as `UNKNOWN_KEY`. */
  code: string;
  severity: "error" | "warning";
  message: string;
  suggestion?: string;
}

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some((problem) => problem.severity === "error");

/** Formats a problem as `agents/coder.md:3:1 unknown key …`, followed by the suggestion. */
export function problemText(problem: Problem): string {
  const { file, line, column, message, suggestion } = problem;
  return `${file}:${line}:${column} ${message}${suggestion ? `: ${suggestion}` : ""}`;
}

/** Finds the known word that was probably meant, if one is similar enough. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const wanted = fold(word);
  const reach = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = reach + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The `suggestion` field of a problem. It names the known word that is most similar to `word`. Without such a word, the object is empty. */
export function suggestWord(word: string, known: Iterable<string>): Pick<Problem, "suggestion"> {
  const meant = nearestWord(word, known);
  return meant === undefined ? {} : { suggestion: `did you mean \`${meant}\`?` };
}

/** Treats `max_turns`, `max-turns` and `maxTurns` as the same word. */
const fold = (word: string): string => word.slice(0, 64).toLowerCase().replace(/[-_ ]/g, "");

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? before[j - 2]! + 1 : change;
      row.push(Math.min(change, swap, previous[j]! + 1, row[j - 1]! + 1));
    }
    before = previous;
    previous = row;
  }
  return previous[b.length]!;
}
