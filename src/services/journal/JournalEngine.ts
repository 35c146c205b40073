/**
 * The engine of effect/workflow for one run in this process. Activities have its journal and need nothing else of it
 * (RecordedActivity). Deferreds are answers of people. Workflows never suspend; a fiber waiting for an answer blocks.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { Journal } from "./Journal.ts"
import { jsonCodecOf, OwnJournal } from "./RecordedActivity.ts"

const { WorkflowEngine: Engine, WorkflowInstance: Instance } = WorkflowEngine

const unsupported = (what: string) => Effect.die(`The journal engine has no ${what}.`)

/** False for what another version saved in a form that this one does not know. */
const fits = (made: object, value: Schema.Json): boolean => {
  const { successSchema } = made as { readonly successSchema: Schema.Codec<unknown, unknown> }
  return Option.isSome(Schema.decodeUnknownOption(jsonCodecOf(successSchema))(value))
}

/** The engine over the journal of the run. */
export const layerJournalEngine = Layer.effect(
  Engine,
  Effect.gen(function* () {
    const journal = yield* Journal
    type Execute = Parameters<WorkflowEngine.Encoded["register"]>[1]
    const workflows = new Map<string, Execute>()

    const engine: WorkflowEngine.WorkflowEngine["Service"] = WorkflowEngine.makeUnsafe({
      register: (workflow, execute) => Effect.sync(() => void workflows.set(workflow._tag, execute)),
      execute: (workflow, { executionId, payload }) =>
        Effect.suspend(() => {
          const run = workflows.get(workflow._tag)
          if (run === undefined) return unsupported(`workflow ${workflow._tag}`)
          const instance = Instance.initial(workflow, executionId)
          return run(payload, executionId).pipe(
            Workflow.intoResult,
            Effect.provideService(Instance, instance),
            Effect.provideService(Engine, engine),
            Effect.provideService(OwnJournal, journal)
          )
        }) as never,
      activityExecute: () => unsupported("activities, which go to the journal themselves"),
      poll: () => Effect.succeedNone,
      interrupt: () => unsupported("way to interrupt from outside"),
      interruptUnsafe: () => unsupported("way to interrupt from outside"),
      resume: () => unsupported("suspended run"),
      /* An answer that cannot be read is asked for again. */
      deferredResult: (deferred) =>
        Effect.map(journal.answer(deferred.name), (answer) =>
          Option.map(
            Option.filter(answer, (value) => fits(deferred, value)),
            Exit.succeed
          )
        ),
      deferredDone: ({ deferredName, exit }) =>
        Exit.isSuccess(exit)
          ? journal.saveAnswer(deferredName, exit.value as Schema.Json)
          : unsupported("deferred that fails"),
      scheduleClock: () => unsupported("durable clock")
    })
    return engine
  })
)
