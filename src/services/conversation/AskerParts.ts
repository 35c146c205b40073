/**
 * What a conversation is made of. It is loaded with the layer, as one module: a program that imports the library may do no
 * more than name the service.
 */
export { formOf } from "../../domain/documents/AnswerFormat.ts"
export { Workspace } from "../files/Workspace.ts"
export { Prompts } from "../models/Prompts.ts"
export { Gate } from "../permissions/Gate.ts"
export { Briefer } from "../pipeline/Briefer.ts"
export { RunSettings } from "../runs/RunSettings.ts"
export { UsageMeter } from "../runs/UsageMeter.ts"
export { ToolRegistry } from "../tools/ToolRegistry.ts"
export { AskTurn } from "./AskTurn.ts"
export { chosenTools } from "./ChosenTools.ts"
export { makeShapedAnswer } from "./ShapedAnswer.ts"
