// The forms in which a secret can appear: unchanged, escaped for JSON, URLs, HTML or shell, and encoded in base64 or hex.
// A secret that is compressed, encrypted or split up cannot be found by its forms.

export interface SecretForms {
  /** Forms that are searched for literally. */
  plain: string[];
  /** Forms that can be wrapped over several lines, as `base64` and `xxd -p` print them. */
  encoded: string[];
}

export function secretForms(value: string): SecretForms {
  const plain = [value, ...jsonForms(value), ...urlForms(value), ...htmlForms(value), ...shellForms(value)];
  const encoded = [...base64Forms(value), ...base64Forms(escapeJson(value)), ...hexForms(value)];
  return { plain: [...new Set(plain)], encoded: [...new Set(encoded)] };
}

/** The secret as various serializers escape it for JSON, and for JSON inside a JSON string. */
function jsonForms(value: string): string[] {
  const once = escapeJson(value);
  const ascii = once.replace(/[^\x20-\x7e]/g, unicodeEscape);
  const careful = once.replace(/[<>&]/g, unicodeEscape);
  const strict = escapeJson(value).replace(/[<>&'+]|\\"|[^\x20-\x7e]/g, (found) =>
    unicodeEscape(found.at(-1)!),
  );
  const large = strict.replace(/\\u[\da-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const doubled = value.replaceAll("\\", "\\\\");
  return [once, escapeJson(once), ascii, careful, large, doubled, once.replaceAll("/", "\\/")];
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function urlForms(value: string): string[] {
  if (!value.isWellFormed()) return [];
  const usual = encodeURIComponent(value);
  const strict = usual.replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const forms = [usual, strict, usual.replaceAll("%20", "+"), usual.replaceAll("%2F", "/"), encodeURI(value)];
  const lower = forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  return [...forms, ...lower, encodeURIComponent(usual)];
}

/** The secret as various serializers escape it for HTML text and HTML attributes. */
function htmlForms(value: string): string[] {
  const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = ["&quot;", "&#34;"].flatMap((double) =>
    ["&#39;", "&#x27;", "&apos;"].map((single) => text.replaceAll('"', double).replaceAll("'", single)),
  );
  return [text, ...quoted];
}

/** The secret as a shell escapes it in single quotes (`set -x` prints this form) and in double quotes. */
function shellForms(value: string): string[] {
  const single = ["'\\''", `'"'"'`].map((quote) => value.replaceAll("'", quote));
  return [...single, value.replace(/["\\$`]/g, "\\$&")];
}

/** Base64 has one form for each alignment to groups of three bytes. The edge characters are left out, because they also encode neighbouring bytes. */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((before) => {
    const characters = btoa("\0".repeat(before) + binary(bytes));
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const usual = characters.slice(Math.ceil((before * 8) / 6), whole);
    return [usual, usual.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

const binary = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

function hexForms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, hex.toUpperCase()];
}
