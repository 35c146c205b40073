/**
 * Which files a command runs, as far as its words and the files themselves say: scripts that an interpreter is given, and
 * files in which a runner such as npm or make looks up what to run.
 */

/** Programs that run the files among their arguments, with any version after the name. */
const interpreters =
  /^(?:sh|bash|dash|zsh|ksh|fish|ash|node|nodejs|deno|bun|tsx|ts-node|python|pypy|ruby|perl|php|lua|Rscript|pwsh|powershell|osascript|awk|gawk|mawk|sed|expect|tclsh|source|\.|exec|xargs|env)[\d.]*$/

/** Files in which runners look up what to run: in the folder of the command and in those above it. */
const definitions: ReadonlyArray<readonly [runner: RegExp, names: RegExp]> = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|node|corepack|turbo|nx|lerna|gulp|grunt)$/,
    /^(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|gulpfile\.[cm]?[jt]s|Gruntfile\.[cm]?js|turbo\.json|nx\.json)$/
  ],
  [/^(?:g?make|ninja|cmake)$/, /^(?:GNUmakefile|[Mm]akefile|CMakeLists\.txt|build\.ninja)$/],
  [/^just$/, /^\.?[Jj]ustfile$/],
  [/^task$/, /^[Tt]askfile\.ya?ml$/],
  [/^(?:rake|bundle)$/, /^(?:Rakefile|Gemfile)$/],
  [/^gradlew?$/, /^(?:build|settings)\.gradle(?:\.kts)?$|^gradle\.properties$/],
  [/^mvnw?$/, /^pom\.xml$/],
  [/^cargo$/, /^(?:Cargo\.toml|build\.rs)$/],
  [
    /^(?:tox|nox|pytest|py\.test|poetry|uv|hatch|pdm|pip|invoke)\d*$/,
    /^(?:tox\.ini|noxfile\.py|conftest\.py|pytest\.ini|pyproject\.toml|setup\.(?:py|cfg)|tasks\.py)$/
  ],
  [/^composer$/, /^composer\.json$/],
  [/^deno$/, /^deno\.jsonc?$/],
  [/^(?:ant|sbt|mix|swift)$/, /^(?:build\.xml|build\.sbt|mix\.exs|Package\.swift)$/],
  [/^(?:docker|podman|docker-compose)$/, /^(?:Dockerfile|Containerfile|(?:docker-)?compose\.ya?ml)$/]
]

/** What one command line or one line of a script names. */
export interface NamedScripts {
  /** Words that may be paths of scripts. */
  readonly files: ReadonlyArray<string>
  /** The names of files in which a runner looks. */
  readonly definitions: ReadonlyArray<RegExp>
}

const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** The scripts that these words name. A word that begins with `-` counts by what follows `=`. */
export const scriptsNamed = (words: ReadonlyArray<string>): NamedScripts => {
  const names = words.map(baseName)
  const runs = names.some((name) => interpreters.test(name))
  const paths = words.map((word) => word.replace(/^-[^=]*=?|^@/, "")).filter((word) => word !== "")
  return {
    /* Any file among the arguments of an interpreter; else what is run by its path. */
    files: runs ? paths : paths.filter((word) => /^\.{0,2}\//.test(word) || (word === words[0] && word.includes("/"))),
    definitions: definitions.flatMap(([runner, files]) => (names.some((name) => runner.test(name)) ? [files] : []))
  }
}

/** Words of one text beyond these are not looked for. */
const maxWords = 2000

const breaks = /[\s"'`;|&()<>,:{}[\]$\\]+/

/** The scripts that the lines of a script, or of a file for a runner, name. */
export const scriptsInText = (text: string): NamedScripts => {
  const lines = text.split("\n").map((line) => scriptsNamed(line.split(breaks).filter((word) => word !== "")))
  return {
    files: [...new Set(lines.flatMap(({ files }) => files))].slice(0, maxWords),
    definitions: [...new Set(lines.flatMap((line) => line.definitions))]
  }
}

/** The scripts that a command names, also in a script that it holds as one of its words. */
export const scriptsOfCommand = (argv: ReadonlyArray<string>): NamedScripts => {
  const whole = scriptsNamed(argv)
  const inside = scriptsInText(argv.filter((word) => /\s/.test(word)).join("\n"))
  return { files: [...whole.files, ...inside.files], definitions: [...whole.definitions, ...inside.definitions] }
}

/** True for a word that is a path rather than another argument, so that a file may come to it. */
export const looksLikePath = (word: string): boolean => /^[\w@./+-]+$/.test(word) && /\/.|.\.[A-Za-z]\w*$/.test(word)
