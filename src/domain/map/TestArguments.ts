/**
 * For checks that the user named: finds the test files and folders among the arguments. Such a check runs only these
 * tests, so a change of another test file needs a second check.
 */
import type { CommandLine } from "../commands/CommandText.ts"
import { languageOf } from "../files/Language.ts"
import { fileName } from "../files/PathList.ts"
import { isTestFile } from "../files/TestFile.ts"
import { commandKind } from "./CommandKind.ts"

/** Test runners that take paths, each with the languages of its test files. */
const runners: ReadonlyArray<readonly [RegExp, ReadonlySet<string>]> = [
  [/\b(?:pytest|py\.test)\b/, new Set(["python"])],
  [/\b(?:vitest|jest|mocha|ava)\b/, new Set(["javascript", "typescript", "jsx", "tsx"])]
]

/** True for linters, type checks and formatters. The first words of a command name them, as in `npm run lint`. */
const runsNoTests = ([program, ...words]: CommandLine): boolean => {
  const first = words.slice(0, 2).filter((word) => !/^-|\//.test(word))
  const kind = commandKind([fileName(program), ...first].join(" "))
  return kind === "lint" || kind === "types" || kind === "format"
}

/** The path in an argument such as `./tests/test_a.py::test_b` or `tests/`. */
const pathIn = (argument: string): string => argument.replace(/::.*$/, "").replace(/^\.\//, "").replace(/\/+$/, "")

/** An option whose value may be the next argument. The option `--test` of Node and Deno has no value. */
const valueOption = /^--(?!test$)[^=]+$/

const firstFolder = (path: string): string => path.split("/", 1)[0] ?? ""

/**
 * True for a test file, or a folder in the same top folder as the changed test file, such as `test/unit` for
 * `test/a.test.ts`.
 */
const namesTests = (argument: string, before: string, changed: string): boolean => {
  const path = pathIn(argument)
  const isValue = argument.startsWith("-") || valueOption.test(before)
  const isFolder = !/\.\w+$/.test(path) && firstFolder(path) === firstFolder(changed)
  return !isValue && (isTestFile(path) || isFolder)
}

/** The positions of arguments that name tests. */
const testPositions = (argv: CommandLine, changed: string): ReadonlyArray<number> =>
  [...argv.keys()].filter((index) => index > 0 && namesTests(argv[index] ?? "", argv[index - 1] ?? "", changed))

/** True if the check runs tests, and its arguments name this file, a folder around it, or no tests. */
export const mayRunTest = (argv: CommandLine, file: string): boolean => {
  if (runsNoTests(argv)) return false
  const named = testPositions(argv, file).map((index) => pathIn(argv[index] ?? ""))
  return named.length === 0 || named.some((path) => path === file || file.startsWith(`${path}/`))
}

const languagesOf = (argv: CommandLine): ReadonlySet<string> =>
  runners.find(([runner]) => argv.some((word) => runner.test(word)))?.[1] ??
  new Set(argv.filter((word) => isTestFile(pathIn(word))).map((word) => languageOf(pathIn(word))))

/**
 * The check with these test files in place of its own tests. Undefined if it runs these files anyway, or if its runner
 * is for another language. Paths are relative to the project.
 */
export const commandForOtherTests = (argv: CommandLine, files: ReadonlyArray<string>): CommandLine | undefined => {
  const languages = runsNoTests(argv) ? new Set<string>() : languagesOf(argv)
  const others = files.filter((file) => languages.has(languageOf(file)) && !mayRunTest(argv, file))
  const own = new Set(others.flatMap((file) => testPositions(argv, file)))
  const [program, ...words] = argv
  return others.length === 0 ? undefined : [program, ...words.filter((_, index) => !own.has(index + 1)), ...others]
}
