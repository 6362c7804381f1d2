// `cadre agents schema`: prints the JSON Schema of an agent file's front matter, for editors.

import { frontmatterSchema } from "../../../agents/frontmatter.ts";
import { EXIT, type Invocation } from "../../invocation.ts";
import { jsonLine } from "../../view/text/plain.ts";

export async function schema({ json, screen }: Invocation): Promise<number> {
  const content = frontmatterSchema();
  screen.line(json ? jsonLine(content) : JSON.stringify(content, undefined, 2));
  return EXIT.done;
}
