// Sorts content types into those that can be read as text and those that cannot.

/** `unsaid`: the server gives no content type, so the bytes decide. */
export type TextKind = "html" | "text" | "unsaid";

const TEXT =
  /^(text\/.+|application\/((.+\+)?(json|xml|yaml)|x-yaml|toml|javascript|ecmascript|x-javascript|x-ndjson|jsonl?|graphql|sql|x-sh|rtf|x-www-form-urlencoded)|image\/svg\+xml)$/;

/** Undefined for a type that is not text. */
export function textKind(contentType: string): TextKind | undefined {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (type === "") return "unsaid";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  return TEXT.test(type) ? "text" : undefined;
}

const NO_TEXT =
  /^(image\/(png|jpeg|gif|webp|avif|bmp|tiff|x-icon)|audio\/(mpeg|ogg|wav|mp4|webm)|video\/(mp4|webm|ogg|mpeg)|font\/(woff2?|ttf|otf)|application\/(pdf|zip|gzip|octet-stream|wasm|x-tar|x-7z-compressed|msword|epub\+zip))$/;

/** The server chooses the type's name, and could write a sentence there (A66). So the result is undefined unless the type is well known. */
export function knownMediaType(contentType: string): string | undefined {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return NO_TEXT.test(type) ? type : /^(image|audio|video|font)(?=\/)/.exec(type)?.[0];
}
