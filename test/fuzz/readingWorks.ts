/**
 * The works whose steps are counted: reading documents of every shape that may grow, and texts that are made to be hard.
 */
import { hostileTexts } from "../support/randomDocuments.ts"
import type { Works } from "../support/stepCounter.ts"
import { readers } from "./documentParsers.ts"
import { shapes } from "./Growth.ts"

const ofShapes = shapes.map(({ kind, make, name }) => {
  const work = (size: number) => {
    const text = make(size)
    return () => readers[kind].read(text)
  }
  return [name, work] as const
})

const ofHostileTexts = Object.keys(hostileTexts(1)).map((name) => {
  const work = (size: number) => {
    const text = hostileTexts(size)[name] ?? ""
    return () => Object.values(readers).map(({ read }) => read(text))
  }
  return [`hostile ${name}`, work] as const
})

const works: Works = Object.fromEntries([...ofShapes, ...ofHostileTexts])
export default works
