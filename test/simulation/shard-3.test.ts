import { simulateShard } from "./shard.ts";

simulateShard({ shard: 3, of: 4 });
