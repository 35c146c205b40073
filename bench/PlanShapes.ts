/**
 * Plans of several shapes, for measurements of the scheduler. Each plan has the time of each call, and the shortest
 * possible time if sections run strictly one after another.
 */

/** Times of calls in ms. */
export interface ShapedTask {
  readonly name: string
  readonly step: number
  /** The tasks whose results this task refers to. */
  readonly producers: ReadonlyArray<string>
  readonly refine: number
  readonly execute: number
}

export interface ShapedPlan {
  readonly tasks: ReadonlyArray<ShapedTask>
  readonly steps: number
  readonly iterate: number
  readonly conclude: number
}

type Random = () => number

/** Seeded random numbers from 0 to 1. */
const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d)
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 4_294_967_296
  }
}

/**
 * A random time around the mean. Long times are rare but possible. `spread` is the deviation as a fraction of the mean.
 */
const timeAround = (mean: number, spread: number, random: Random): number => {
  const variance = Math.log(1 + spread * spread)
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return mean * Math.exp(normal * Math.sqrt(variance) - variance / 2)
}

/**
 * Each task refers to `references` results of earlier sections. In a lane, it refers to the previous task of the lane.
 */
interface Shape {
  readonly widths: ReadonlyArray<number>
  readonly references: number
  readonly isLane?: boolean
}

export const shapes: Readonly<Record<string, Shape>> = {
  chain: { widths: Array.from({ length: 8 }, () => 1), references: 1 },
  funnel: { widths: [6, 3, 2, 1], references: 1 },
  lanes: { widths: Array.from({ length: 5 }, () => 4), references: 1, isLane: true },
  ragged: { widths: [3, 1, 8, 2, 5, 1], references: 2 }
}

export interface PlanDraw {
  /** The mean time of an executing call, in ms. A refining call takes 0.6 of that, a call for the whole list 0.8. */
  readonly latency: number
  readonly spread: number
  /** The fraction of tasks without references. Tasks of the first section do not count. */
  readonly free: number
  readonly seed: number
}

const nameOf = (step: number, lane: number): string => `Task ${step + 1} ${lane + 1}`

/**
 * One plan of a shape. Two thirds of its references go to the previous section. The others go to any earlier section.
 */
export const shapedPlan = ({ isLane, references, widths }: Shape, draw: PlanDraw): ShapedPlan => {
  const random = randomFrom(draw.seed)
  const producersOf = (step: number, lane: number): ReadonlyArray<string> => {
    if (step === 0 || random() < draw.free) return []
    if (isLane === true) return [nameOf(step - 1, lane)]
    const chosen = Array.from({ length: references }, () => {
      const from = random() < 2 / 3 ? step - 1 : Math.floor(random() * step)
      return nameOf(from, Math.floor(random() * (widths[from] ?? 1)))
    })
    return [...new Set(chosen)]
  }
  const around = (part: number): number => timeAround(part * draw.latency, draw.spread, random)
  const tasks = widths.flatMap((width, step) =>
    Array.from({ length: width }, (_, lane) => ({
      name: nameOf(step, lane),
      step,
      producers: producersOf(step, lane),
      refine: around(0.6),
      execute: around(1)
    }))
  )
  return { tasks, steps: widths.length, iterate: 0.8 * draw.latency, conclude: 0.8 * draw.latency }
}

/** Equal tasks without references, in sections of equal size. Every call takes the same time. */
export const uniformPlan = (count: number, steps: number, latency: number): ShapedPlan => ({
  tasks: Array.from({ length: count }, (_, index) => {
    const step = Math.floor((index * steps) / count)
    return { name: `Task ${step + 1} ${index + 1}`, step, producers: [], refine: latency, execute: latency }
  }),
  steps,
  iterate: latency,
  conclude: latency
})

/**
 * The shortest possible time if sections run one after another. A section needs at least the time of its longest task.
 * It also needs the time in which all slots together can do its executions. And all work up to its end must be done.
 */
export const strictBound = ({ conclude, iterate, steps, tasks }: ShapedPlan, slots: number): number => {
  const ends = new Map<string, number>()
  let end = 0
  let work = 0
  for (let step = 0; step < steps; step += 1) {
    const mine = tasks.filter((task) => task.step === step)
    const before = end
    for (const { execute, name, producers, refine } of mine) {
      const ready = Math.max(0, ...producers.map((producer) => ends.get(producer) ?? 0)) + refine
      ends.set(name, Math.max(before, ready) + execute)
      work += refine + execute
    }
    const executions = mine.reduce((sum, { execute }) => sum + execute, 0)
    const longest = Math.max(...mine.map(({ name }) => ends.get(name) ?? 0))
    end = Math.max(longest, before + executions / slots, work / slots)
  }
  return end + iterate + conclude
}

const taskLines = ({ name, producers }: ShapedTask): string =>
  [
    `- **Name** ${name}`,
    "- **What is needed** Say the time.",
    "- **Skill** search-code",
    ...(producers.length === 0
      ? []
      : [
          `- **References** ${producers.map((one) => `[${one}](#${one.toLowerCase().replaceAll(" ", "-")}-results)`).join(", ")}`
        ]),
    "- **Expected output** The time.",
    ""
  ].join("\n")

/** The text of a plan. */
export const planText = ({ steps, tasks }: ShapedPlan): string =>
  [
    "## Original prompt\n\nTell the time.\n\n## Goals / summary\n\nThe time is told.\n\n## Tasks\n",
    ...Array.from({ length: steps }, (_, step) => {
      const mine = tasks.filter((task) => task.step === step)
      return `### Task section ${step + 1}\n\n${mine.map(taskLines).join("\n")}`
    })
  ].join("\n")
