// Parses command lines of the simplest kind: words and quotes, joined by `&&`. A line with anything that a shell expands or
// interprets (a variable, a pattern, a redirection, another operator) is rejected.

/** The words of each command; undefined if the line is not plain. */
export function parsePlainCommands(line: string): string[][] | undefined {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
  };
  for (const [token] of line.trim().matchAll(TOKENS)) {
    if (/^[ \t]/.test(token)) endWord();
    else if (token === "&&") {
      endWord();
      commands.push([]);
    } else {
      const text = textOf(token, word === undefined);
      if (text === undefined) return undefined;
      word = (word ?? "") + text;
    }
  }
  endWord();
  return commands.every((words) => words.length > 0) ? commands : undefined;
}

/** The last alternative matches any other single character. */
const TOKENS = /[ \t]+|&&|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\w./:=@%+,^-]+|[\s\S]/gu;

function textOf(token: string, isFirst: boolean): string | undefined {
  if (token.startsWith("'") && token.length > 1) return token.slice(1, -1);
  if (token.startsWith('"') && token.length > 1) return inQuotes(token.slice(1, -1));
  if (token.startsWith("\\")) return token.length > 1 && token !== "\\\n" ? token.slice(1) : undefined;
  if (isFirst && token.startsWith("=")) return undefined;
  return /^[\w./:=@%+,^-]+$/.test(token) || /^[^\p{ASCII}]$/u.test(token) ? token : undefined;
}

function inQuotes(text: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*[$`]/.test(text) || text.includes("\\\n")) return undefined;
  return text.replaceAll(/\\([$`"\\])/g, "$1");
}
