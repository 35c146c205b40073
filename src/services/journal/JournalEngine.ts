/**
 * The engine of effect/workflow for one run in this process. An activity whose outcome is in the journal is not run
 * again, and the outcome of an activity that succeeds is in the journal before the workflow continues. A failure is
 * persisted as evidence only, since another try may succeed. Deferreds are answers of people. Workflows never suspend;
 * a fiber waiting for an answer blocks.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Cause from "effect/Cause"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { Journal } from "./Journal.ts"
import { OwnJournal } from "./RecordedActivity.ts"

const { WorkflowEngine: Engine, WorkflowInstance: Instance } = WorkflowEngine

const unsupported = (what: string) => Effect.die(`The journal engine has no ${what}.`)

/** False for what another version saved in a form that this one does not know. */
const fits = (made: object, value: Schema.Json): boolean => {
  const { successSchema } = made as { readonly successSchema: Schema.Codec<unknown, unknown> }
  return Option.isSome(Schema.decodeUnknownOption(Schema.toCodecJson(successSchema))(value))
}

const complete = (exit: Exit.Exit<unknown, unknown>) => new Workflow.Complete({ exit })

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
      activityExecute: Effect.fnUntraced(function* (activity): Effect.fn.Return<Workflow.Result<unknown, unknown>> {
        const known = yield* journal.outcome(activity.name)
        if (Option.isSome(known)) {
          if (!fits(activity, known.value)) return yield* journal.unreadable(activity.name)
          return complete(Exit.succeed(known.value))
        }
        const execute = activity.executeEncoded as Effect.Effect<unknown, unknown>
        const exit = yield* Effect.exit(execute)
        if (Exit.isSuccess(exit)) {
          yield* journal.saveOutcome(activity.name, exit.value as Schema.Json)
          return complete(exit)
        }
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        const failure = Cause.findErrorOption(exit.cause)
        if (Option.isSome(failure)) yield* journal.saveFailure(activity.name, failure.value as Schema.Json)
        return complete(exit)
      }),
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
