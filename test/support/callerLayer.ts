/** The caller of models as a run has it, with nothing kept; only the provider and the settings differ between tests. */
import * as Layer from "effect/Layer"
import { Activities } from "../../src/services/journal/Activities.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import { ModelCaller } from "../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../src/services/models/ModelSlots.ts"
import { TokenCalibration } from "../../src/services/models/TokenCalibration.ts"
import type { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { RunSettings, type Settings } from "../../src/services/runs/RunSettings.ts"
import { UsageMeter } from "../../src/services/runs/UsageMeter.ts"
import { EventLog } from "./EventLog.ts"

export const callerLayer = (provider: ReturnType<typeof layerOllama>, settings: Partial<Settings>) =>
  ModelCaller.layer.pipe(
    Layer.provide(provider),
    Layer.provide([
      ModelSlots.layer,
      Activities.layerUnsaved,
      Journal.layerNone,
      TokenCalibration.layer,
      UsageMeter.layer
    ]),
    Layer.provide(RunSettings.layer(settings)),
    Layer.provideMerge(EventLog.layer)
  )
