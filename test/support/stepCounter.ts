/**
 * A process that counts the steps of work: how often each block of code was carried out, and how many characters the functions
 * of strings and regular expressions went through. The same work has the same count on every machine, since nothing is
 * compiled (see countSteps.ts, which starts it with the path of a module and the sizes).
 */
import { Session } from "node:inspector"
import { pathToFileURL } from "node:url"

/** Makes work of a size; what comes back does it. */
export type Works = Readonly<Record<string, (size: number) => () => unknown>>

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<{ readonly count: number }> }>
  }>
}

const session = new Session()
session.connect()

/** Commands of the profiler answer before `post` returns. */
const post = (method: string, given: object = {}): unknown => {
  let answer: unknown
  session.post(method, given, (error, result) => {
    if (error !== null) throw error
    answer = result
  })
  return answer
}

const blocks = (): number =>
  (post("Profiler.takePreciseCoverage") as Coverage).result
    .flatMap((script) => script.functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)

let characters = 0

/** Puts a function of the language in the place of itself; `cost` says through how many characters a call went. */
const count = <Self>(
  owner: object,
  name: string,
  call: (real: (...given: ReadonlyArray<unknown>) => unknown, self: Self, given: ReadonlyArray<unknown>) => unknown
): void => {
  const real = Reflect.get(owner, name) as (...given: ReadonlyArray<unknown>) => unknown
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    value: function (this: Self, ...given: ReadonlyArray<unknown>) {
      return call((...words) => Reflect.apply(real, this, words), this, given)
    }
  })
}

const wholeText = ["split", "replace", "replaceAll", "trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase"]

const countStrings = (): void => {
  for (const name of wholeText) {
    count<string>(String.prototype, name, (real, self, given) => {
      characters += self.length
      return real(...given)
    })
  }
  for (const name of ["indexOf", "includes"]) {
    const { indexOf } = String.prototype
    count<string>(String.prototype, name, (real, self, [part, from = 0]) => {
      const at = indexOf.call(self, String(part), Number(from))
      characters += (at === -1 ? self.length : at) - Number(from)
      return real(part, from)
    })
  }
  count<string>(String.prototype, "lastIndexOf", (real, self, [part, from = self.length]) => {
    const at = Number(real(part, from))
    characters += Number(from) - Math.max(0, at)
    return at
  })
  /* All other functions of regular expressions call this one when it is not their own. */
  count<RegExp>(RegExp.prototype, "exec", (real, { global, lastIndex, sticky }, [text]) => {
    const from = global || sticky ? lastIndex : 0
    const found = real(text) as RegExpExecArray | null
    const miss = sticky ? from : String(text).length
    characters += Math.max(1, (found === null ? miss : found.index + found[0].length) - from)
    return found
  })
}

const stepsOf = (work: () => unknown): number => {
  blocks()
  characters = 0
  work()
  return blocks() + characters
}

const [, , module = "", ...sizes] = process.argv
const works = ((await import(pathToFileURL(module).href)) as { readonly default: Works }).default
countStrings()
post("Profiler.enable")
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
const counted = Object.entries(works).map(([name, make]) => {
  const all = sizes.map((size) => make(Number(size)))
  return [name, all.map(stepsOf)] as const
})
process.stdout.write(JSON.stringify(Object.fromEntries(counted)))
