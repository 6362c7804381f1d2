// Decides which content types can be read as text.

/** `unsaid`: the server gives no content type, so the bytes show whether the body is text. */
export type TextKind = "html" | "text" | "unsaid";

const TEXT =
  /^(text\/.+|application\/((.+\+)?(json|xml|yaml)|x-yaml|toml|javascript|ecmascript|x-javascript|x-ndjson|jsonl?|graphql|sql|x-sh|rtf|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** How to read a body of this content type as text. Undefined if the type is not text. */
export function textKind(contentType: string): TextKind | undefined {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (type === "") return "unsaid";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  return TEXT.test(type) ? "text" : undefined;
}

const NO_TEXT =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff|x-icon)|audio\/(mpeg|ogg|wav|mp4|webm)|video\/(mp4|webm|ogg|mpeg)|font\/(woff2?|ttf|otf)|application\/(pdf|zip|gzip|octet-stream|wasm|x-tar|x-7z-compressed|msword|epub\+zip))$/;

/** Returns only well-known types. Any other type name could be a sentence that the server wrote for the model (A66). */
export function knownMediaType(contentType: string): string | undefined {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return NO_TEXT.test(type) ? type : /^(image|audio|video|font)(?=\/)/.exec(type)?.[0];
}
