import { simulateShard } from "./shard.ts";

simulateShard({ shard: 1, of: 4 });
