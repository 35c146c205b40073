/**
 * The error of a run without a chosen model. The library exports this file, so the file imports no other part of the
 * program.
 */
import * as Schema from "effect/Schema"

/** No model is named, and no user could be asked. `models` lists the server's models that can write text. */
export class ModelUnchosen extends Schema.TaggedError<ModelUnchosen>()("ModelUnchosen", {
  host: Schema.String,
  userFile: Schema.String,
  models: Schema.Array(Schema.String),
  lines: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const [first] = this.models
    if (first === undefined) {
      return `The model server at ${this.host} has no model that can write text. Get one, for example: ollama pull qwen3:8b (5 GB). Or try the built-in demo, which only searches and quotes: --model embedded`
    }
    const how = `Name one with --model, for example --model ${first}, or set TASK_CONDUCTOR_MODEL or "model" in ${this.userFile}.`
    return [
      `No model is chosen. ${how} The server at ${this.host} has:`,
      ...this.lines.map((line) => `  ${line}`)
    ].join("\n")
  }
}
