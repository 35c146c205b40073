/**
 * Prompts, their sizes, the costs of answers, and the servers of models. Imported as "task-conductor/kit/models". Every
 * version may change it, so only features, and packages of exactly this version, may import it.
 */

/* Models. */
export { Briefing } from "../domain/models/Briefing.ts"
export { ModelToolCalls, ToolCalls, toolCallsOfModel } from "../domain/models/Generation.ts"
export { fittingModels } from "../domain/models/InstalledModel.ts"
export { outcomeText, resultText } from "../domain/models/OutputText.ts"
export { estimateTokens, type FilledPrompt } from "../domain/models/PromptSize.ts"
export { userPartMarker } from "../domain/models/PromptTemplate.ts"
export { cachedText, loadText, speedText } from "../domain/models/TokenCounts.ts"
export { ModelSlots } from "../services/models/ModelSlots.ts"
export { Prompts } from "../services/models/Prompts.ts"
export { WaitsForServer } from "../services/models/ServerWait.ts"
export { TokenCalibration } from "../services/models/TokenCalibration.ts"
export { ScriptedModel } from "../services/providers/ScriptedModel.ts"
export { UsageMeter } from "../services/runs/UsageMeter.ts"

/* Servers of models. */
export { fitSetup, inCodeModel, resolveModels } from "../app/modelChoice.ts"
export { leavesMachine } from "../app/providers.ts"
export { askServer, installedModels, readServer } from "../app/serverModels.ts"
export { withServerToChooseFrom } from "../app/setup.ts"
