// `node examples/seeds/s3/main.ts`: the system of document S3, four patterns in the frontmatter of agents.

import { start } from "../start.ts";

await start(import.meta.dirname);
