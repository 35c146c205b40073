/**
 * The services that carry a prompt from the request to the answer. They are loaded with the layer of the pipeline, as one
 * module: a program that imports the library may do no more than name the pipeline.
 */
export { Gate } from "../permissions/Gate.ts"
export { ToolRunner } from "../tools/ToolRunner.ts"
export { Concluder } from "./Concluder.ts"
export { Preparation } from "./Planner.ts"
export { Rounds } from "./Rounds.ts"
export { RunReporter } from "./RunReporter.ts"
