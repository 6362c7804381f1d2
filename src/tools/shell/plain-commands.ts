// A command line of the plainest kind: words and quotes, joined by `&&`. Whatever a shell would make something else of
// (a variable, a pattern, a redirection, another operator) makes it no plain one, and then it is not read at all.

/** The words of each command; undefined where it is not plain. */
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

/** The last kind is a character that none of the others takes. */
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
