// What can be read as text, by the type that a server gives it.

/** `unsaid`: there is no type; the bytes must tell. */
export type Kind = "html" | "text" | "unsaid";

const TEXT =
  /^(text\/.+|application\/((.+\+)?(json|xml|yaml)|x-yaml|toml|javascript|ecmascript|x-javascript|x-ndjson|jsonl?|graphql|sql|x-sh|rtf|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** Undefined: nothing that can be read here. */
export function kindOf(contentType: string): Kind | undefined {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (type === "") return "unsaid";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  return TEXT.test(type) ? "text" : undefined;
}
