// Finds the files that a Markdown file imports with `@path`, as in Claude Code. Code blocks and code spans import nothing.

export function importsIn(markdown: string): string[] {
  const prose = markdown
    .replace(/^( {0,3})(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\2[^\n]*$|(?![\s\S]))/gm, "")
    .replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, "");
  const names = [...prose.matchAll(/(?<=^|[\s(])@((?:[^\s\\()@]|\\ )+)/gm)].map(([, name]) =>
    name!.replaceAll("\\ ", " ").replace(/[.,;:!?'"*_]+$/, ""),
  );
  return [...new Set(names.filter((name) => /[./]/.test(name)))];
}
