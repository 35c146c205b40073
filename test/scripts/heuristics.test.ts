import { expect, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { fixedLimits, noLimits } from "../../scripts/fixedLimits.ts"
import { heuristics, heuristicsPage } from "../../scripts/heuristics.ts"

/** The files whose constants decide what a model is shown, when it is asked again, and what counts. */
const files = globSync(
  [
    "services/agent/**/*.ts",
    "domain/excerpts/*.ts",
    "domain/documents/{TurnBudgets,ReportIssues,UselessAnswers,HalfPlan,Compacted*,ChangedFunctions,SelfReview,Evidence,Retries}.ts",
    "domain/checks/RanTests.ts",
    "domain/models/PrefetchedParts.ts",
    "domain/files/{RemainingOccurrences,TextEdit,EditPlaces,NewText,CodeRelations}.ts",
    "domain/permissions/{Decision,SeenTexts,TargetPattern}.ts",
    "services/permissions/{Gate,GateDecision,GateQuestion}.ts",
    "services/pipeline/{Attempts,JoinChanges}.ts",
    "services/models/ModelSlots.ts"
  ],
  { cwd: "src" }
)

const constant = /^(?:export )?const (\w+)(?:: [\w<>]+)? = (?:\d[\d_.]*(?: \* [\d_]+)*|\[[\d., ]+\])$/gm

/** Constants that choose nothing: sizes of work, and what a message shows. */
const others: ReadonlyArray<string> = [
  "domain/permissions/SeenTexts.ts#mostCharacters",
  "domain/files/TextEdit.ts#maxPlaces",
  "domain/files/TextEdit.ts#maxCounted",
  "domain/files/TextEdit.ts#maxQuotedLines",
  "domain/files/TextEdit.ts#maxComparedLines",
  "domain/files/TextEdit.ts#maxComparedLength",
  "domain/files/TextEdit.ts#maxDifferences",
  "domain/files/NewText.ts#maxLength"
]

const table = /^(?:export )?const (\w+) = \{\n([^]*?)^\}/gm
const entry = /^ {2}(\w+): \d[\d_.]*,?$/gm

/** The constants of a file, and the entries of its tables that are numbers, as `table.entry`. */
const constantsIn = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(constant)].map(([, name = ""]) => name),
  ...[...text.matchAll(table)].flatMap(([, name = "", rows = ""]) =>
    [...rows.matchAll(entry)].map(([, key]) => `${name}.${key}`)
  )
]

const constants = files.flatMap((file) =>
  constantsIn(readFileSync(`src/${file}`, "utf8")).map((name) => `${file}#${name}`)
)

it("names every constant of the loop, excerpts, evidence and the gate in the table, with unit and reason", () => {
  const listed = heuristics.map(({ from }) => from)
  const known = new Set([...listed, ...others, ...noLimits, ...fixedLimits.flatMap(({ from }) => from)])
  expect(constants.filter((name) => !known.has(name))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
  expect(heuristics.filter(({ decides, unit, why }) => [decides, unit, why].includes(""))).toEqual([])
})

it("finds entries of tables as well as constants", () => {
  const text = "const one = 1\nexport const scores = {\n  /** A row. */\n  first: 0.5,\n  second: [2]\n} as const\n"
  expect(constantsIn(text)).toEqual(["one", "scores.first"])
  expect(constants).toContain("domain/excerpts/Scores.ts#termScores.literal")
})

it("reads the values where they stand", () => {
  const page = heuristicsPage()
  expect(page).toContain("| `radii` | 1, 3, 8, 20, 40 lines |")
  expect(page).toContain("| `compactAt` | 0.96 of what a prompt may have |")
  expect(page).not.toContain("undefined")
})
