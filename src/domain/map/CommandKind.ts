/**
 * Derives the kind of a project's command from its words and from what it runs. A command that never ends, or that has
 * lasting effects outside the project, has no kind.
 */

/** The kinds of commands. `lint` only reads files, and `format` changes them. */
export type CommandKind = "types" | "tests" | "lint" | "format" | "build"

const wordsIn = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const lasting = /deploy|publish|release|upload|install|uninstall|clean|push/i
const endless = wordsIn("watch dev serve server start debug ui preview inspect open repl bench benchmark benchmarks")
const changing = wordsIn("fix write")

/** Words that indicate a kind, most reliable kind first. */
const kinds: ReadonlyArray<readonly [CommandKind, ReadonlySet<string>]> = [
  ["types", wordsIn("typecheck typechecking types type tsc tsgo vue-tsc mypy pyright basedpyright vet typing")],
  ["format", wordsIn("format fmt formatting prettier black gofmt rustfmt oxfmt dprint")],
  [
    "lint",
    wordsIn(`lint linting linter eslint oxlint clippy ruff flake8 pylint rubocop standard xo phpcs phpstan psalm credo
      dialyzer style checkstyle analyze biome stylelint golangci`)
  ],
  [
    "tests",
    wordsIn(`test tests spec specs testing unit unittest unittests coverage e2e integration jest vitest mocha ava tap
      pytest rspec phpunit pest ctest tox eunit`)
  ],
  ["build", wordsIn("build compile bundle all rollup webpack esbuild tsup")]
]

/** Words for a check of unknown kind. */
const general = wordsIn("check checks verify validate ci")

const partsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)

const kindOfWords = (text: string): CommandKind | undefined => {
  const parts = partsOf(text)
  return kinds.find(([, words]) => parts.some((part) => words.has(part)))?.[0]
}

/**
 * The kind of a command.
 *
 * ```ts
 * commandKind("npm run lint:fix") // "format"
 * ```
 */
export const commandKind = (run: string, does = ""): CommandKind | undefined => {
  const parts = partsOf(run)
  const holds = (words: ReadonlySet<string>) => parts.some((part) => words.has(part))
  if (lasting.test(run) || holds(endless) || /--watch(?!=false)\b/.test(does)) return undefined
  if (/^(?:cargo|deno) check\b/.test(run)) return "types"
  const name = run.slice(run.lastIndexOf(" ") + 1)
  if (/^(?:build|compile)\b/i.test(name)) return "build"
  const kind = kindOfWords(run)
  if (kind === "lint") return holds(changing) ? "format" : "lint"
  if (kind === "format") return holds(general) || /--(?:check|list-different|dry-run)\b/.test(does) ? "lint" : "format"
  if (kind !== undefined) return kind
  if (!general.has(partsOf(name)[0] ?? "")) return undefined
  if (/^(?:cargo|deno) check\b/.test(does)) return "types"
  const named = kindOfWords(does)
  return /\b(?:test|spec|jest|vitest|mocha|pytest)/.test(does) || named === "build" ? "tests" : (named ?? "tests")
}
