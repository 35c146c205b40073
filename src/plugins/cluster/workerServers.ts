/**
 * Keeps a list of model servers that do not answer. While its server is away, a worker takes no work. After
 * `waitSeconds`, it takes work again if no other worker has a server. The run then fails because its server does not
 * answer.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { askServer } from "../../kit/models.ts"
import { build, providerOfRun, type Setup } from "../../kit/program.ts"
import { isOtherBuild } from "../../kit/runs.ts"
import type { ClusterWorkers } from "./ClusterWorkers.ts"

interface GoneServer {
  readonly setup: Setup
  readonly why: string
  /** Since when the server has been away, in milliseconds. */
  readonly since: number
}

interface ServersOptions {
  readonly worker: string
  readonly workers: Pick<ClusterWorkers["Service"], "alive">
  /** How long work waits if no worker has a server, in seconds. */
  readonly waitSeconds: number
  readonly report: (what: string) => Effect.Effect<void>
}

const answers = (setup: Setup) =>
  askServer(setup, ({ greeting }) => greeting).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

/**
 * Makes the list of model servers that do not answer; it is empty at first. Every three seconds, the worker asks each
 * server of the list again.
 */
export const makeServers = Effect.fnUntraced(function* ({ report, waitSeconds, worker, workers }: ServersOptions) {
  const gone = new Map<string, GoneServer>()

  const look = Effect.gen(function* () {
    for (const [key, { setup }] of gone) {
      if (!(yield* answers(setup))) continue
      gone.delete(key)
      yield* report("The model server answers again: this worker takes work again.")
    }
  })
  yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("3 seconds")))

  /** True if a server has been away for at least `waitSeconds`. */
  const hasGivenUp = Effect.map(Clock.currentTimeMillis, (now) =>
    [...gone.values()].some(({ since }) => now - since >= waitSeconds * 1000)
  )
  const hasOther = Effect.map(workers.alive, (alive) =>
    alive.some(
      ({ name, serverGone, version }) => name !== worker && !isOtherBuild(version, build) && serverGone === undefined
    )
  )

  return {
    /** Why the server that has been on the list longest does not answer. Undefined if the list is empty. */
    gone: () => [...gone.values()][0]?.why,
    hasGivenUp,
    /**
     * True if this worker must take no work because a server of the list does not answer. At first, the worker waits
     * for the server. Later, it leaves the work only if another worker has a server.
     */
    leavesWork: Effect.gen(function* () {
      if (gone.size === 0) return false
      return !(yield* hasGivenUp) || (yield* hasOther)
    }),
    /** Notes that the model server of this configuration does not answer. */
    leave: Effect.fnUntraced(function* (setup: Setup, why: string) {
      const key = `${providerOfRun(setup).id} ${setup.settings.host}`
      if (gone.has(key)) return
      gone.set(key, { setup, why, since: yield* Clock.currentTimeMillis })
      const without =
        waitSeconds === 0 ? "" : ` When none has a server, it waits ${waitSeconds} s (limits.serverWaitSeconds).`
      yield* report(`${why} Other workers take its work until it answers.${without}`)
    })
  }
})

export type WorkerServers = Effect.Success<ReturnType<typeof makeServers>>
