import { simulateShard } from "./shard.ts";

simulateShard({ shard: 2, of: 4 });
