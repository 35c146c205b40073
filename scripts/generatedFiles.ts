/**
 * All generated files by path. `generate.ts` writes them; a test fails if one is outdated.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  Configuration,
  configurationJsonSchema,
  serverAddresses,
  personalKeys
} from "../src/domain/configuration/Configuration.ts"
import { SandboxSettings } from "../src/domain/commands/CommandSettings.ts"
import { CommandTool } from "../src/domain/tools/CommandTool.ts"
import { snakeName } from "../src/domain/text/Json.ts"
import { RunEvent } from "../src/domain/runs/RunEvent.ts"
import { commandForms } from "../test/support/CommandForms.ts"
import { cliPage } from "./cliPage.ts"
import { eventsJsonSchema } from "./eventsSchema.ts"
import { heuristicsPage } from "./heuristics.ts"
import { limitsPage } from "./limitsPage.ts"
import { repairsPage } from "./repairsPage.ts"
import { rulePages } from "./rulePages.ts"
import { toolsPage } from "./toolsPage.ts"
import manifest from "../package.json" with { type: "json" }

const header = "<!-- Made by `npm run generate`; do not edit. -->"

const schemaOf = (name: string): Record<string, { readonly description?: string }> => {
  const schema = configurationJsonSchema() as { readonly properties: Record<string, Record<string, never>> }
  const properties = name === "" ? schema.properties : (schema.properties[name]?.["properties"] ?? {})
  return properties as Record<string, { readonly description?: string }>
}

/** The description of a field in its JSON schema. */
const descriptionOf = (field: Schema.Constraint): unknown =>
  (Schema.toJsonSchemaDocument(field).schema as { readonly description?: string }).description

const configurationPage = (): string =>
  [
    header,
    "# Configuration",
    [
      "Settings come from these places; later ones take precedence:",
      "",
      "1. `task-conductor.json` in the project,",
      "2. `$XDG_CONFIG_HOME/task-conductor/config.json` of the user (`~/.config/task-conductor/config.json` without the variable),",
      "3. the environment,",
      "4. flags.",
      "",
      "Limits are merged key by key, and rules from all places are combined. An unknown key is an error. For completion in an",
      "editor, set `$schema` to `schema/task-conductor.schema.json` of the package.",
      "",
      "The file of a project cannot grant permissions ([why](../decisions/020-project-configuration-cannot-grant-permissions.md))."
    ].join("\n"),
    [
      "| key | project file | meaning |",
      "|---|---|---|",
      ...Object.keys(Configuration.fields).map(
        (key) =>
          `| \`${key}\` | ${personalKeys.some((personal) => personal === key) ? "no" : "yes"} | ${schemaOf("")[key]?.description} |`
      )
    ].join("\n"),
    "## limits",
    "[Limits](limits.md) lists the keys, with their defaults and what happens when one is reached.",
    "## sandbox",
    [
      "| key | meaning |",
      "|---|---|",
      ...Object.keys(SandboxSettings.fields).map(
        (key) => `| \`sandbox.${key}\` | ${schemaOf("sandbox")[key]?.description} |`
      )
    ].join("\n"),
    "## tools",
    [
      "Each entry of `tools` has the name of a tool as its key ([more](sandbox.md#tools-without-code)).",
      "",
      "| key | meaning |",
      "|---|---|",
      ...Object.entries(CommandTool.fields).map(([key, field]) => `| \`${key}\` | ${descriptionOf(field)} |`)
    ].join("\n"),
    "## Rules",
    [
      "A rule of `allow` and `deny` is `TOOL` or `TOOL:PATTERN`, such as `read_file:docs/**`. Deny rules take precedence over",
      "allow rules. References are treated as calls of `read_file` and `fetch_url`. [Permissions](permissions.md) describes",
      "what rules and patterns match."
    ].join("\n"),
    "## Environment",
    [
      "| variable | meaning |",
      "|---|---|",
      "| `TASK_CONDUCTOR_MODEL` | the same as `model` |",
      ...Object.entries(serverAddresses).map(
        ([key, { note, variable }]) => `| \`${variable}\` | the same as \`${key}\`${note} |`
      ),
      "| `OPENAI_API_KEY` | the key for that server |",
      "| `OLLAMA_API_KEY` | sent to the server as a bearer token |",
      "| `OLLAMA_NUM_PARALLEL` | the same as `parallel` |",
      "| `NO_COLOR`, `FORCE_COLOR`, `TERM=dumb` | never colour, always colour, never colour |",
      "| `XDG_CONFIG_HOME` | the folder of the user's configuration, permissions and skills |",
      "| `TASK_CONDUCTOR_DEBUG` | `1` shows the details of an internal error |"
    ].join("\n")
  ].join("\n\n")

const meanings: Readonly<Record<RunEvent["type"], string>> = {
  "run.started":
    "The first line: the run, its project, its model and its prompt; `stage_models` has the models of single stages.",
  "stage.started": "A stage has started.",
  "model.started":
    "A prompt was sent to the model. `retry` counts how often it was sent before, and `after` says what happened then.",
  "model.waiting":
    "A heartbeat, every 10 seconds of a model call. `phase` is what it waits for: `connecting`, `turn` (the server answers other calls of the run), `first_word`, `next_word`, or `writing` while the answer comes. It has lasted `seconds`, and [its limit](limits.md) ends it at `ends_at_seconds`. Not saved.",
  "model.finished": "The answer of the model is complete.",
  "model.failed":
    "A model call failed. `reason` is its kind, such as `Hopeless` for an answer that was stopped, or `ContextOverflow`; `what` describes it. `will_retry` says whether the prompt is sent again, `retry` and `retries` which retry follows.",
  "model.phase":
    "The model began to think before its answer, or to write the answer after it had thought. A model that does not think has no phases.",
  "model.progress":
    "The progress of a model call, about every second after its first. `phase` is `queued` (waiting for a slot of the run), `connecting`, `turn` (the server answers other calls of the run), `loading`, `reading`, `loading_or_reading` if the server does not tell them apart, `thinking` or `writing`. `seconds` counts from the beginning of the phase; `tokens` and `tokens_per_second` are estimates of what was written. Not saved.",
  "answer.piece":
    "A piece of the answer of the run while the model writes it, at most five times a second. The answer is checked when it is whole: `run.finished` has the one that counts. Not saved.",
  "server.waiting":
    "The model server is gone or overloaded. The calls of the run wait for it, for at most so many more seconds.",
  "server.back": "The model server answers again, and the waiting calls go on.",
  "answer.rejected": "An answer could not be used; its issues go into the next attempt.",
  "answer.repaired": "An answer was accepted after harmless repairs.",
  "plan.created": "The task list was checked and accepted.",
  "plan.revised": "The iteration replaced the outstanding tasks. An empty list means that the goals are met.",
  "round.started": "A round (tasks, then iteration) has started.",
  "round.finished": "All tasks of a round have ended.",
  "step.started": "A step has started.",
  "step.finished": "All tasks of a step have ended.",
  "task.turn": "An answer for a task asks for calls, and proposes changes of files. Nothing is changed yet.",
  "task.item":
    "An item of a task for each item has ended: the `number`th `of` all, with its `state` and the beginning of its report.",
  "task.worked": "The turns of a task have ended; `calls` are the changes to approve and make.",
  "task.kept":
    "A task had finished before the run was resumed. Its result is used, and the task is not executed again.",
  "references.read":
    "The references of a task, each with its size, estimated tokens and hash, and the shown part if not all of it fits.",
  "task.started": "A task makes its calls.",
  "task.finished": "A task has finished, with its result.",
  "task.failed": "A task ended without a result, or was skipped.",
  "tool.started": "A tool call was allowed and has started.",
  "tool.running":
    "A heartbeat, every 10 seconds of a tool call. Its limit, if known, ends it at `ends_at_seconds`. Not saved.",
  "tool.progress":
    "The progress of a tool call, as the tool reports it, at most once a second: `done` of `total`, or a `text`. Not saved.",
  "tool.finished": "A tool call has finished, with its result.",
  "check.started": "task-conductor runs a check of the project, such as its tests.",
  "check.running":
    "A heartbeat, every 10 seconds of a check; `limits.checkSeconds` ends it at `ends_at_seconds`. Not saved.",
  "check.tried": "How a check ends on the unchanged project, during the planning; one that proves nothing says why.",
  "check.finished":
    "A check has ended. `exit_code` is null if it was stopped or not run. `new_failures` did not fail without the changes, `ran` counts the tests and names the new ones that passed (absent if the output counts none), and `text` is what the model gets.",
  "approval.requested":
    "Approval is needed; the items show for what. With the scope `question`, `title` is a question of the model to the user.",
  "approval.answered":
    "The answer to a request for approval, or with `text` to a question of the model. `by` says who answered: `person` (the user), `rule`, or `nobody` (no terminal).",
  message: "A message to the user.",
  "ask.started": "Answering a message of a conversation has started.",
  "ask.finished": "Answering a message of a conversation has ended; the report says how.",
  "run.finished": "The last line: exit code and report, also after a signal or an error."
}

const eventsPage = (): string =>
  [
    header,
    "# Events",
    [
      "`run --json` prints one JSON object per line, separated by LF: `type` first, `at` (ISO 8601) second, then the fields of",
      "the event. The first line is `run.started`, the last line is `run.finished`. Programs must ignore unknown types and fields.",
      "The events of the library are the same objects with the names of TypeScript: `endsAtSeconds` for `ends_at_seconds`. Names",
      "inside arguments and results of tools are those of the tool.",
      "",
      "`schema/events.schema.json` of the package (`task-conductor/events.schema.json` for `import`) is the JSON schema of a line. Its",
      "`$id` ends with the version that `run.started` names.",
      "",
      "A line with `deprecated` repeats the event before it under the earlier name of its type, until the next version:",
      '`task.refined` for `task.worked`. The library has only the new name. Events marked "Not saved" are not part of the saved run.',
      "",
      "A command with wrong usage or configuration (exit code 2) starts no run and prints no line; stderr says why."
    ].join("\n"),
    [
      "| type | fields | meaning |",
      "|---|---|---|",
      ...RunEvent.members.map(({ fields }) => {
        const type = fields.type.schema.literal
        const names = Object.keys(fields).filter((name) => name !== "type")
        return `| \`${type}\` | ${names.map((name) => `\`${snakeName(name)}\``).join(", ")} | ${meanings[type]} |`
      })
    ].join("\n")
  ].join("\n\n")

const versionModule = `/** The version of this package. Made by \`npm run generate\` from package.json; do not edit. */
export const version = "${manifest.version}"
`

export const generatedFiles: Effect.Effect<Readonly<Record<string, string>>> = Effect.gen(function* () {
  return {
    "src/app/version.ts": versionModule,
    "schema/task-conductor.schema.json": `${JSON.stringify(configurationJsonSchema(), null, 2)}\n`,
    "schema/events.schema.json": `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`,
    "docs/reference/cli.md": `${header}\n\n${cliPage(yield* commandForms)}\n`,
    "docs/reference/configuration.md": `${configurationPage()}\n`,
    "docs/internals/heuristics.md": `${header}\n\n${heuristicsPage()}\n`,
    "docs/internals/repairs.md": `${header}\n\n${repairsPage()}\n`,
    "docs/reference/limits.md": `${header}\n\n${limitsPage()}\n`,
    "docs/reference/tools.md": `${header}\n\n${yield* toolsPage}\n`,
    "docs/reference/events.md": `${eventsPage()}\n`,
    ...rulePages()
  }
}).pipe(Effect.orDie)
