/** Reads the XML reports of Maven and Gradle, whose output names no tests. */
import type { TestCounts } from "./CheckTotals.ts"

interface ReportedTest {
  /** The class as a path without an extension: `org/text/SlugTest`. */
  readonly path: string
  readonly name: string
  readonly end: keyof TestCounts
}

const entities: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' }

const attribute = (attributes: string, name: string): string =>
  (new RegExp(`(?<![\\w-])${name}="([^"]*)"`).exec(attributes)?.[1] ?? "").replaceAll(
    /&(amp|apos|gt|lt|quot);/g,
    (_, entity: string) => entities[entity] ?? ""
  )

/** What follows a test's name: parameters, and the number of a repetition. */
const behindName = /(?:\([^()]*\)|\{[^{}]*\})?(?:\[[^\]]*\])?$/

/** The output of tests inside a report. It is removed, because it may contain any text, even results. */
const printed = /<(system-(?:out|err))\b[^>]*>(?:<!\[CDATA\[[\s\S]*?\]\]>|[^<])*<\/\1>/g

const testsIn = (xml: string): ReadonlyArray<ReportedTest> =>
  xml
    .replaceAll(printed, "")
    .split(/<testcase(?=\s)/)
    .slice(1)
    .map((part) => {
      const [, attributes = "", body = ""] = /^((?:[^>"]|"[^"]*")*)>([\s\S]*)/.exec(part) ?? []
      const [inner = ""] = attributes.endsWith("/") ? [] : body.split("</testcase>", 1)
      return {
        path: attribute(attributes, "classname").replace(/\$.*/, "").replaceAll(".", "/"),
        name: attribute(attributes, "name").replace(behindName, ""),
        end: /<(?:failure|error)\b/.test(inner) ? "failed" : inner.includes("<skipped") ? "skipped" : "passed"
      }
    })

/** The tests in the reports, with their counts. If the reports contain no test, there are no counts. */
export const readTestReports = (reports: ReadonlyArray<string>) => {
  const tests = reports.flatMap(testsIn)
  const count = (end: keyof TestCounts): number => tests.filter((test) => test.end === end).length
  const counts: TestCounts | undefined =
    tests.length === 0 ? undefined : { passed: count("passed"), failed: count("failed"), skipped: count("skipped") }
  return { counts, passed: tests.filter(({ end }) => end === "passed") }
}
