/**
 * The tools `add_task`, `list_tasks` and `update_task`: the model's own to-do list for the run, separate from the tasks
 * of the plan.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { tool, ToolFailure } from "../../plugin-kit.ts"
import { optional } from "./parameters.ts"

const Status = Schema.Literals(["pending", "in_progress", "completed"])

const ScratchTask = Schema.Struct({ id: Schema.String, title: Schema.String, status: Status })
type ScratchTask = typeof ScratchTask.Type

const maxEntries = 100
const maxTitle = 200

const AddParameters = Schema.Struct({
  title: Schema.NonEmptyString.check(Schema.isMaxLength(maxTitle)).annotate({
    description: `What is to be done, in at most ${maxTitle} characters.`
  })
})
const ListParameters = Schema.Struct({
  status: optional(Status, "Lists only entries with this status.")
})
const UpdateParameters = Schema.Struct({
  id: Schema.NonEmptyString.annotate({ description: "The id of the entry, such as task_1." }),
  status: Status.annotate({ description: "The new status." })
})

const notFound = (id: string, tasks: ReadonlyArray<ScratchTask>) => {
  const known = tasks.length === 0 ? "The list is empty." : `There are: ${tasks.map((task) => task.id).join(", ")}.`
  return new ToolFailure({ type: "not_found", message: `There is no entry ${JSON.stringify(id)}. ${known}` })
}

export const scratchTasks = Effect.sync(() => {
  let list: ReadonlyArray<ScratchTask> = []
  return {
    add_task: tool({
      description: `Adds an entry to your own list of things to do and returns it with its id. The list holds ${maxEntries} entries.`,
      parameters: AddParameters,
      aliases: { content: "title" },
      risk: "safe",
      effect: "once",
      example: { title: "Read the tests" },
      errors: { validation_failed: "The list is full." },
      execute: Effect.fnUntraced(function* ({ title }: typeof AddParameters.Type) {
        if (list.length === maxEntries) {
          const message = `The list is full: it holds ${maxEntries} entries.`
          return yield* new ToolFailure({ type: "validation_failed", message })
        }
        const entry: ScratchTask = { id: `task_${list.length + 1}`, title, status: "pending" }
        list = [...list, entry]
        return entry
      })
    }),
    list_tasks: tool({
      description: "Returns your own list of things to do as a JSON array.",
      parameters: ListParameters,
      risk: "safe",
      effect: "pure",
      example: { status: "pending" },
      execute: ({ status }: typeof ListParameters.Type) =>
        Effect.sync(() => list.filter((task) => status === undefined || task.status === status))
    }),
    update_task: tool({
      description: "Sets the status of an entry of your own list and returns the entry.",
      parameters: UpdateParameters,
      aliases: { task_id: "id" },
      risk: "safe",
      effect: "idempotent",
      example: { id: "task_1", status: "completed" },
      errors: { not_found: "There is no such entry; the message names those there are." },
      execute: Effect.fnUntraced(function* ({ id, status }: typeof UpdateParameters.Type) {
        list = list.map((task) => (task.id === id ? { id, title: task.title, status } : task))
        return list.find((task) => task.id === id) ?? (yield* notFound(id, list))
      })
    })
  }
})
