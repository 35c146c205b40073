/**
 * The features of the program, each a plugin in a folder of its own, and one in a package. Without its import and its entry, a feature is
 * not in the program; the library publishes functions of some all the same. A new one is named in test/support/rooms.ts as well.
 */
import { acp } from "../plugins/acp/index.ts"
import { checkTools } from "../plugins/check-tools/index.ts"
import { mcp } from "../plugins/mcp/index.ts"
import { modelBench } from "../plugins/model-bench/index.ts"
import { openai } from "../plugins/openai/index.ts"
import { replay } from "../plugins/replay/index.ts"
import { report } from "../plugins/report/index.ts"
import { telemetry } from "../plugins/telemetry/index.ts"
import { tools } from "../plugins/tools/index.ts"
import { web } from "../plugins/web/index.ts"
import { cluster } from "./clusterPackage.ts"
import type { Feature } from "./SharedRuns.ts"

/** Commands, tools, providers and listeners stand in this order; of `web` and `sharedRuns` the first counts. */
export const features: ReadonlyArray<Feature> = [
  tools,
  web,
  openai,
  checkTools,
  modelBench,
  report,
  replay,
  mcp,
  acp,
  telemetry,
  cluster
]
