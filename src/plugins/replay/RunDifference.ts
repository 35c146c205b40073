/**
 * Compares the events of a session with those of its replay: each stage, task, step and call. Times, costs and the
 * order of parallel work may differ.
 */
import { flattenEvent, hasEnded } from "../../kit/runs.ts"
import { canonicalJson, slugOf } from "../../kit/text.ts"
import type { EventOf, RunEvent } from "../../plugin-kit.ts"

/** A difference of a replay from the saved run. If one of them lacks the event, its text is absent. */
export interface RunDifference {
  /** The type of the event, and what it is about. */
  readonly about: string
  /** What the saved run contains. */
  readonly before?: string
  /** What the replay produced. */
  readonly now?: string
}

/** A difference, and the number of replayed events before it. */
export interface PlacedDifference {
  readonly at: number
  readonly difference: RunDifference
}

/** What an event belongs to, such as a task. Only events with the same `place` have a fixed order. */
interface Place {
  readonly place: string
  readonly about: string
}

const placeOfStage = (
  event: EventOf<"stage.started" | "model.finished" | "answer.rejected" | "answer.repaired">
): Place => {
  const { round, stage, task } = "call" in event ? event.call : event
  const place = [stage, ...(round === 0 ? [] : [`round ${round}`]), ...(task === undefined ? [] : [`"${task}"`])]
  const attempt = "call" in event ? [`attempt ${event.call.attempt}`] : []
  // Two alternative answers are requested at once, and arrive in any order.
  if ("call" in event && event.call.choice !== undefined) {
    const choice = `choice ${event.call.choice}`
    return {
      place: `${stage} ${attempt.join("")} ${choice}`,
      about: [event.type, ...place, ...attempt, choice].join(" ")
    }
  }
  return {
    place: task === undefined ? (stage === "iterate" ? `round ${round}` : stage) : `round ${round} ${slugOf(task)}`,
    about: [event.type, ...place, ...attempt].join(" ")
  }
}

/**
 * The place of an event. Undefined for an event copied from the journal. `title` is the title of an approval question.
 * It is undefined if it equals the title of the step.
 */
const placeOf = (event: RunEvent, step: string, title: string | undefined): Place | undefined => {
  switch (event.type) {
    case "stage.started":
    case "model.finished":
    case "answer.rejected":
    case "answer.repaired":
      return placeOfStage(event)
    case "run.started":
    case "run.finished":
      return { place: event.type, about: event.type }
    case "plan.created":
      return { place: "plan", about: event.type }
    case "plan.revised":
    case "round.started":
    case "round.finished":
      return { place: `round ${event.round}`, about: `${event.type} round ${event.round}` }
    case "step.started":
    case "step.finished":
      return { place: `round ${event.round}`, about: `${event.type} ${step}` }
    case "approval.requested":
    case "approval.answered":
      if (event.scope !== "step") return undefined
      return title === undefined
        ? { place: step.replace(/ step .*/s, ""), about: `${event.type} ${step}` }
        : { place: `approval ${event.hash}`, about: `${event.type} "${title}" ${event.hash.slice(0, 8)}` }
    case "task.turn":
    case "task.worked":
    case "task.kept":
    case "task.started":
    case "task.finished":
    case "task.failed": {
      const { round, task, type } = event
      const turn = type === "task.turn" ? ` turn ${event.turn}` : ""
      return { place: `round ${round} ${slugOf(task)}`, about: `${type} round ${round} "${task}"${turn}` }
    }
    case "tool.finished": {
      const { round, task, uid } = event.id
      const call = `round ${round} "${task}" ${uid}`
      return { place: call, about: `${event.type} ${call}` }
    }
    default:
      return undefined
  }
}

/** Removes times, durations and costs from a value. */
const withoutVolatile = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutVolatile)
  if (typeof value !== "object" || value === null) return value
  const ignored = "error_type" in value ? "metadata" : "rounds" in value ? "usage" : undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (key === ignored ? [] : [[key, withoutVolatile(part)]]))
  )
}

interface PlacedEvent extends Place {
  readonly at: number
  readonly text: string
}

const placedEvents = (events: ReadonlyArray<RunEvent>): ReadonlyArray<PlacedEvent> => {
  let step = ""
  let title = ""
  const titles = new Map<string, string>()
  return events.flatMap((event, at) => {
    if (event.type === "step.started") {
      step = `round ${event.round} step ${event.step + 1}`
      title = event.title
    }
    if (event.type === "approval.requested" && event.title !== title) titles.set(event.hash, event.title)
    const place = placeOf(event, step, "hash" in event ? titles.get(event.hash) : undefined)
    if (place === undefined) return []
    const { at: _, ...fields } = flattenEvent({ at: "", event })
    return [{ ...place, at, text: canonicalJson(withoutVolatile(fields) as never) }]
  })
}

const byAbout = (all: ReadonlyArray<PlacedEvent>) => new Map(all.map((one) => [one.about, one]))

/** A difference for each place whose events come in another order. */
const moved = (
  before: ReadonlyArray<PlacedEvent>,
  now: ReadonlyArray<PlacedEvent>
): ReadonlyArray<PlacedDifference> => {
  const common = (some: ReadonlyArray<PlacedEvent>, others: ReadonlyMap<string, PlacedEvent>, place: string) =>
    some.filter((one) => one.place === place && others.has(one.about))
  const [old, fresh] = [byAbout(before), byAbout(now)]
  return [...new Set(now.map(({ place }) => place))].flatMap((place) => {
    const mine = common(now, old, place)
    const was = common(before, fresh, place).map(({ about }) => about)
    const first = mine.findIndex(({ about }, index) => about !== was[index])
    const unexpected = mine[first]
    if (unexpected === undefined) return []
    const order = (of: ReadonlyArray<string>) => of.slice(first).join(", ")
    const difference = {
      about: `the order of ${place}`,
      before: order(was),
      now: order(mine.map(({ about }) => about))
    }
    return [{ at: unexpected.at, difference }]
  })
}

/**
 * All differences between the recorded events (`before`) and the replayed events (`now`). If the recorded session was
 * cut off, events that it lacks do not count. `isStopped` is true if the replay stopped at a missing call. Then events
 * that the replay lacks do not count.
 */
export const runDifferences = (
  before: ReadonlyArray<RunEvent>,
  now: ReadonlyArray<RunEvent>,
  isStopped: boolean
): ReadonlyArray<PlacedDifference> => {
  const isWhole = hasEnded(before)
  const ofBoth = (all: ReadonlyArray<PlacedEvent>) =>
    isWhole && !isStopped ? all : all.filter(({ about }) => about !== "run.finished")
  const [was, is] = [ofBoth(placedEvents(before)), ofBoth(placedEvents(now))]
  const [old, fresh] = [byAbout(was), byAbout(is)]
  let last = 0
  const lost = was.flatMap(({ about, text }): ReadonlyArray<PlacedDifference> => {
    const found = fresh.get(about)
    if (found !== undefined) last = found.at
    return found !== undefined || isStopped ? [] : [{ at: last + 0.5, difference: { about, before: text } }]
  })
  const changed = is.flatMap(({ about, at, text }): ReadonlyArray<PlacedDifference> => {
    const found = old.get(about)
    if (found === undefined) return isWhole ? [{ at, difference: { about, now: text } }] : []
    return found.text === text ? [] : [{ at, difference: { about, before: found.text, now: text } }]
  })
  return [...lost, ...changed, ...moved(was, is)]
}

export const inOrder = (all: ReadonlyArray<PlacedDifference>): ReadonlyArray<RunDifference> =>
  all.toSorted((a, b) => a.at - b.at).map(({ difference }) => difference)
