/** Writes commands as text for users, and finds the project files that a command runs. */
import * as Schema from "effect/Schema"
import { fileName } from "../files/PathList.ts"

/** A program and its arguments, each as one element. No shell reads them. */
export const CommandLine = Schema.NonEmptyArray(Schema.String)
export type CommandLine = typeof CommandLine.Type

const plainWord = /^[\w./:=@%+,-]+$/

/** The word, in JSON quotes if it contains more than letters, digits and `_ . / : = @ % + , -`. */
export const wordText = (word: string): string => (plainWord.test(word) ? word : JSON.stringify(word))

/** The words joined by blanks. Different commands have different texts. */
export const commandText = (argv: CommandLine): string => argv.map(wordText).join(" ")

const maxWords = 256
const maxBytes = 32_768

/** The problem of a command with its fix; undefined if it can run. */
export const commandProblem = (argv: CommandLine): string | undefined => {
  const [program] = argv
  if (program.trim() === "") return "The program is empty. Name it as the first element of argv."
  if (program.startsWith("-"))
    return `The program ${JSON.stringify(program)} looks like an option. Name the program first.`
  if (argv.length > maxWords)
    return `The command has ${argv.length} words; at most ${maxWords} are taken. Make several calls.`
  const broken = argv.findIndex((word) => word.includes("\0") || !word.isWellFormed())
  if (broken !== -1) return `Element ${broken} of argv holds a NUL character or half a character. Remove it.`
  const bytes = argv.reduce((sum, word) => sum + new TextEncoder().encode(word).length + 1, 0)
  if (bytes > maxBytes)
    return `The command has ${bytes} bytes; at most ${maxBytes} are taken. Put long text into a file.`
  return undefined
}

/** Programs that run a file from their arguments. The name may end in a version. */
const interpreters =
  /^(?:sh|bash|dash|zsh|ksh|fish|ash|node|nodejs|deno|bun|tsx|ts-node|python|pypy|ruby|perl|php|lua|Rscript|pwsh|powershell|osascript|awk|gawk|mawk|sed|expect|tclsh|source|\.|exec|xargs|env)[\d.]*$/

/** For each runner, the files that define what it runs, searched in the command's folder and the folders above. */
const definitions: ReadonlyArray<readonly [runner: RegExp, names: RegExp]> = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|node|corepack|turbo|nx|lerna|gulp|grunt)$/,
    /^(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]?js|pnpm-workspace\.yaml|gulpfile\.[cm]?[jt]s|Gruntfile\.[cm]?js|turbo\.json|nx\.json)$/
  ],
  [/^(?:g?make|MAKE|ninja|cmake)$/, /^(?:GNUmakefile|[Mm]akefile|CMakeLists\.txt|build\.ninja)$/],
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

/** What a command line, or a line of a script, says about the scripts that it runs. */
export interface NamedScripts {
  /** Words that may be paths of scripts. */
  readonly files: ReadonlyArray<string>
  /** Names of files that define what the runner runs. */
  readonly definitions: ReadonlyArray<RegExp>
  /** Words that may be folders in which the runner also searches. */
  readonly folders: ReadonlyArray<string>
  /** True if the runner also searches a workspace's packages, anywhere in the project. */
  readonly inPackages: boolean
}

/** Options of runners whose value is a file to run, or a folder to search. */
const fileOptions =
  /^(?:-[fbctIPs]|--(?:file|makefile|justfile|taskfile|rakefile|build-file|settings-file|init-script|manifest-path|noxfile|config|settings|userconfig|globalconfig|pnpmfile)|-buildfile)$/
const folderOptions =
  /^(?:-[CdpSB]|--(?:directory|prefix|dir|cwd|working-directory|working-dir|project-dir|chdir|project|root|rootdir))$/

const packageManagers = /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/
/** Options that select packages of a workspace. */
const packageWords = /^(?:-w|-ws|-F|-r|-wr|--(?:workspaces?|ws|filter|recursive)|workspaces?)(?:=|$)/
const workspaceRunners = /^(?:turbo|nx|lerna)$/

/** The values of these options, such as `a.mk` in `-f a.mk`, `--file=a.mk` and `-fa.mk`. */
const valuesOf = (words: ReadonlyArray<string>, options: RegExp): ReadonlyArray<string> =>
  words.flatMap((word, index) => {
    if (options.test(word)) return words[index + 1] || []
    const [, option = "", value = ""] = /^(--?[\w-]+)=(.+)$/.exec(word) ?? /^(-\w)([^-].*)$/.exec(word) ?? []
    return options.test(option) ? value : []
  })

/** The scripts that these words name. If a word begins with `-`, only its text after `=` counts. */
const scriptsNamed = (words: ReadonlyArray<string>): NamedScripts => {
  const names = words.map(fileName)
  const runs = names.some((name) => interpreters.test(name))
  const paths = words.map((word) => word.replace(/^-[^=]*=?|^@/, "")).filter((word) => word !== "")
  const definitionFiles = definitions.flatMap(([runner, files]) =>
    names.some((name) => runner.test(name)) ? [files] : []
  )
  const isRunner = definitionFiles.length > 0
  const programPaths = paths.filter((word) => /^\.{0,2}\//.test(word) || (word === words[0] && word.includes("/")))
  /** Files of make and similar tools include others with `include rules.mk`. */
  const included = /^[-s]?include$/.test(words[0] ?? "") ? words.slice(1) : []
  return {
    /**
     * For an interpreter, all paths in its arguments, because any may be a script. For another program, its own path,
     * and the values of its file options if it is a runner.
     */
    files: runs ? paths : [...programPaths, ...included, ...(isRunner ? valuesOf(words, fileOptions) : [])],
    definitions: definitionFiles,
    folders: isRunner ? valuesOf(words, folderOptions) : [],
    inPackages:
      names.some((name) => workspaceRunners.test(name)) ||
      (names.some((name) => packageManagers.test(name)) && words.some((word) => packageWords.test(word)))
  }
}

const maxScriptWords = 2000

const breaks = /[\s"'`;|&()<>,:{}[\]$\\]+/

const joined = (parts: ReadonlyArray<NamedScripts>): NamedScripts => ({
  files: [...new Set(parts.flatMap(({ files }) => files))].slice(0, maxScriptWords),
  definitions: [...new Set(parts.flatMap((part) => part.definitions))],
  folders: [...new Set(parts.flatMap(({ folders }) => folders))].slice(0, maxScriptWords),
  inPackages: parts.some(({ inPackages }) => inPackages)
})

/**
 * The files that the commands in a text run: scripts, and files such as a Makefile that define the tasks of a runner.
 */
export const scriptsInText = (text: string): NamedScripts =>
  joined(text.split("\n").map((line) => scriptsNamed(line.split(breaks).filter((word) => word !== ""))))

/** The scripts that a command names. An argument with blanks may itself be the text of a script, as in `sh -c`. */
export const scriptsOfCommand = (argv: ReadonlyArray<string>): NamedScripts =>
  joined([scriptsNamed(argv), scriptsInText(argv.filter((word) => /\s/.test(word)).join("\n"))])

export const looksLikePath = (word: string): boolean => /^[\w@./+-]+$/.test(word) && /\/.|.\.[A-Za-z]\w*$/.test(word)

/** Arguments that print a program's version in place of `--version`. */
const versionArguments: Readonly<Record<string, string>> = { go: "version" }

const isPython = /(?:^|\/)python[\d.]*$/

/**
 * Makes a command that asks for the version of the program in the command line `run`. The command has no other effect.
 */
export const programTrial = (run: string): CommandLine => {
  const [program = "", option, module] = run.trim().split(/\s+/)
  if (isPython.test(program) && option === "-m" && module !== undefined && module !== "unittest")
    return [program, "-m", module, "--version"]
  return [program, versionArguments[fileName(program)] ?? "--version"]
}
