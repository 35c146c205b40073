/**
 * `task-conductor sessions`: lists the saved conversations about a project.
 */
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { listConversations } from "../../app/conversation.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { runFlags } from "../run/runFlags.ts"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { Output, redactText } from "../terminal/Output.ts"
import { sessionLines } from "./slashCommands.ts"

export const sessions = Command.make(
  "sessions",
  { project: runFlags.project, json: switchFlag("json", "Print the conversations as JSON") },
  Effect.fn("sessions")(function* ({ json, project }) {
    const { emit, result, resultColumns } = yield* Output
    const conversations = yield* listConversations(project)
    if (json) return yield* result(redactText(outputJson(conversations, 2)))
    if (conversations.length === 0) return yield* emit("No conversation about this project is kept yet.")
    const lines = sessionLines(conversations, DateTime.toDateUtc(yield* DateTime.now), resultColumns() ?? Infinity)
    yield* result(redactText(lines))
    yield* emit("Go on with one: task-conductor ask --session NUMBER")
  })
).pipe(
  withHelp("List the kept conversations about a project, the last one first", {
    "task-conductor sessions": "Their numbers, times and titles",
    "task-conductor ask --session 2": "Go on with the second of them"
  })
)
