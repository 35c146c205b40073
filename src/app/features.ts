/**
 * The features of the program. Each folder of src/plugins holds one plugin, and one of these plugins is in a separate
 * package. A feature that is missing here is not part of the program, even if the library exports its functions. Add a
 * new feature to test/support/rooms.ts as well.
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

/**
 * All features, in the order of their commands, tools, providers and listeners. If several features have `web` or
 * `sharedRuns`, the first is used.
 */
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
