import { simulateShard } from "./shard.ts";

simulateShard({ shard: 4, of: 4 });
