// `cadre agents schema`: prints the JSON Schema of an agent file's front matter, for editors.

import { frontmatterSchema } from "../../../agents/frontmatter.ts";
import { type Invocation, report } from "../../invocation.ts";

export async function schema(invocation: Invocation): Promise<number> {
  const content = frontmatterSchema();
  return report(invocation, content, [JSON.stringify(content, undefined, 2)]);
}
