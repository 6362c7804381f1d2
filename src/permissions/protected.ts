// Files that decide what runs or who may do what: configuration, hooks, agents, workflows. Changing one is a class of
// its own, whether it exists yet or not: "allow all edits" never covers it, only a rule that names that very path.

const PROTECTED_FILES = new Set([
  "cadre.yaml",
  "cadre.yml",
  ".mcp.json",
  ".envrc",
  ".npmrc",
  ".yarnrc.yml",
  ".gitconfig",
  ".gitmodules",
  ".pre-commit-config.yaml",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
]);

const PROTECTED_FOLDERS = new Set([
  ".cadre",
  ".git",
  ".agents",
  ".claude",
  ".opencode",
  ".cursor",
  ".vscode",
  ".idea",
  ".husky",
  ".ssh",
  ".devcontainer",
]);

/** Folders below `.github` that are code or agents. */
const GITHUB_FOLDERS = new Set(["workflows", "actions", "agents", "chatmodes", "prompts", "instructions"]);

/** Takes a path relative to the workspace. Pure: looks at the name alone. */
export function isProtected(path: string): boolean {
  const parts = foldPath(path.replace(/^[\\/]+/, "")).split("/");
  if (parts[0] === "agents") return true;
  if (PROTECTED_FILES.has(parts.at(-1) ?? "")) return true;
  return parts.some(
    (part, index) =>
      PROTECTED_FOLDERS.has(part) || (part === ".github" && GITHUB_FOLDERS.has(parts[index + 1] ?? "")),
  );
}

/** A path as the most forgiving file system reads it; `/` at its start stays. */
export function foldPath(path: string): string {
  const parts = path.split(/[\\/]+/).flatMap((part) => (part === "" || part === "." ? [] : [fold(part)]));
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** Names that some file system takes for the same: case, composed letters, `name.`, `name ` and `name::$DATA` (A36). */
function fold(name: string): string {
  if (name === "..") return name;
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/:.*$/, "")
    .replace(/[. ]+$/, "");
}
