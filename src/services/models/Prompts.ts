/** The prompt templates, which the program loads and checks when it starts. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { Issue, makeIssue, placedIssueText } from "../../domain/findings/Issue.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import {
  type TemplateName,
  type TemplateValues,
  parseTemplate,
  fillTemplate,
  instructionsOf,
  templatePlaceholders
} from "../../domain/models/PromptTemplate.ts"
import { packageFolder } from "../files/PackageFolder.ts"

/** Says that a template file is missing, or lacks placeholders. */
export class PromptTemplateError extends Schema.TaggedError<PromptTemplateError>()("PromptTemplateError", {
  /** The path of the template. */
  file: Schema.String,
  issues: Schema.NonEmptyArray(Issue)
}) {
  override get message(): string {
    const lines = this.issues.map((issue) => `- ${placedIssueText(issue)}`)
    return `The prompt template ${this.file} cannot be used.\n${lines.join("\n")}`
  }
}

const load = Effect.fnUntraced(function* (folder: string, name: TemplateName) {
  const fs = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).join(folder, `${name}.md`)
  const text = yield* fs.readFileString(file).pipe(
    Effect.mapError((error) => {
      const what = `The file could not be read (${error.reason._tag}).`
      return new PromptTemplateError({ file, issues: [makeIssue("template-unreadable", {}, { what })] })
    })
  )
  const { issues, value } = parseTemplate(name, text)
  const [first, ...rest] = issues
  if (first !== undefined) return yield* new PromptTemplateError({ file, issues: [first, ...rest] })
  return yield* Effect.orDie(Effect.fromOption(value))
})

export class Prompts extends Context.Service<
  Prompts,
  {
    /** Fills a template in one pass, so that a value that looks like a placeholder stays unchanged. */
    fill<Name extends TemplateName>(name: Name, values: TemplateValues<Name>): FilledPrompt
    /** The text of a template without its values. */
    instructions(name: TemplateName): string
  }
>()("task-conductor/services/models/Prompts") {
  /** Loads `<folder>/<name>.md` for every template. */
  static readonly layerFolder = (
    folder: string
  ): Layer.Layer<Prompts, PromptTemplateError, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(
      Prompts,
      Effect.map(Effect.all(Record.map(templatePlaceholders, (_, name) => load(folder, name))), (templates) =>
        Prompts.of({
          fill: (name, values) => fillTemplate(templates[name], values),
          instructions: (name) => instructionsOf(templates[name])
        })
      )
    )

  /** Loads the templates that this package ships. */
  static readonly layer = Prompts.layerFolder(packageFolder("prompts"))
}
