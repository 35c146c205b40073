/**
 * Implements `task-conductor completion SHELL`, which prints a script for a shell. The script calls `task-conductor
 * complete -- WORDS`, which prints the completions of the last word. Each line has a completion, a tab, and a
 * description.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import type { CommandDescriptor, FlagDescriptor } from "effect/cli/Completions"
import { askServer, listInstalled } from "../../app/serverModels.ts"
import { layerSkills } from "../../app/layers.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import { readSetup, serverToChooseFrom, withServerToChooseFrom } from "../../app/setup.ts"
import { shortened } from "../../domain/text/Excerpt.ts"
import { printable } from "../../domain/text/Printable.ts"
import { RunStore } from "../../services/history/RunStore.ts"
import { Skills } from "../../services/skills/Skills.ts"
import { withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"

/** Kinds of words whose completions depend on this machine. */
type Kind = "model" | "run" | "skill"

interface Candidate {
  readonly text: string
  readonly about: string
}

/** Completions, or the kind of the wanted words. Undefined for a file name, which the shell completes. */
type Wanted = ReadonlyArray<Candidate> | Kind | undefined

const kindsOfFlags: Readonly<Record<string, Kind>> = { model: "model", skill: "skill" }

const kindOfArgument = (command: string, argument: string): Kind | undefined => {
  if (argument === "RUN") return "run"
  if (argument !== "NAME") return undefined
  return { "models bench": "model" as const, "skills describe": "skill" as const, "skills test": "skill" as const }[
    command
  ]
}

const takesValue = ({ optionalValue, type }: FlagDescriptor): boolean =>
  type._tag !== "Boolean" && optionalValue !== true

const flagOf = ({ flags }: CommandDescriptor, word: string): FlagDescriptor | undefined =>
  flags.find(({ aliases, name }) => word === `--${name}` || aliases.some((alias) => word === `-${alias}`))

const valueOf = ({ name, type }: FlagDescriptor): Wanted =>
  type._tag === "Choice" ? type.values.map((text) => ({ text, about: "" })) : kindsOfFlags[name]

const firstSentence = (text = ""): string => text.split(/(?<=\.) |: |\n/, 1)[0] ?? ""

/** Finds out what can complete the last word. `words` are those after the name of the program. */
const wantedFor = (program: CommandDescriptor, words: ReadonlyArray<string>): Wanted => {
  const last = words.at(-1) ?? ""
  let command = program
  let path = ""
  let flag: FlagDescriptor | undefined
  let position = 0
  for (const word of words.slice(0, -1)) {
    if (flag !== undefined) flag = undefined
    else if (word.startsWith("-")) {
      const found = flagOf(command, word)
      flag = found !== undefined && takesValue(found) ? found : undefined
    } else {
      const below = position === 0 ? command.subcommands.find(({ name }) => name === word) : undefined
      if (below === undefined) position += 1
      else {
        command = below
        path = `${path} ${word}`.trim()
      }
    }
  }
  if (flag !== undefined) return valueOf(flag)
  if (last.startsWith("-")) {
    const flags = command.flags.map(({ description, name }) => ({
      text: `--${name}`,
      about: firstSentence(description)
    }))
    return [...flags, { text: "--help", about: "Show help" }]
  }
  const argument = command.arguments[Math.min(position, command.arguments.length - 1)]
  const kind = argument === undefined ? undefined : kindOfArgument(path, argument.name)
  if (kind !== undefined && (position < command.arguments.length || argument?.variadic === true)) return kind
  return position > 0 || command.subcommands.length === 0
    ? undefined
    : command.subcommands.map(({ description, name }) => ({ text: name, about: firstSentence(description) }))
}

/** The time limit for finding completions, because the user waits. */
const patience = "1 second"
const mostRuns = 20

const models = Effect.fnUntraced(function* () {
  const setup = yield* withServerToChooseFrom(yield* readSetup(".", {}))
  const ask = askServer(setup, listInstalled, {
    provider: serverToChooseFrom(setup),
    patience
  })
  const installed = yield* Effect.orElseSucceed(ask, () => [])
  const found = (installed ?? []).map(({ name }) => ({ text: name, about: "installed" }))
  return [...found, { text: "embedded", about: "the built-in demo" }]
})

const runs = Effect.gen(function* () {
  const all = yield* RunStore.use(({ list }) => list)
  const candidates = all.slice(0, mostRuns).map(({ prompt = "", runId, standing }) => ({
    text: runId,
    about: `${standing}: ${shortened(printable(prompt.replace(/\s+/g, " ")), 60)}`
  }))
  return [{ text: "last", about: "the newest run of this project" }, ...candidates]
}).pipe(Effect.provide(layerRuns))

const skills = Effect.gen(function* () {
  const setup = yield* readSetup(".", {})
  const { all } = yield* Effect.provide(Skills, layerSkills(setup))
  return all.map(({ skill: { description, name } }) => ({ text: name, about: shortened(printable(description), 60) }))
})

const candidatesOf = (kind: Kind) => (kind === "model" ? models() : kind === "run" ? runs : skills)

/**
 * Prints the completions of the last word. Prints nothing for a file name, which the shell completes, or after an
 * error.
 */
export const printCandidates = Effect.fn("printCandidates")(
  function* (program: Command.Command.Any, words: ReadonlyArray<string>) {
    const { result } = yield* Output
    const wanted = wantedFor(Completions.fromCommand(program), words)
    if (wanted === undefined) return
    const found: ReadonlyArray<Candidate> = typeof wanted === "string" ? yield* candidatesOf(wanted) : wanted
    const last = words.at(-1) ?? ""
    const lines = found.filter(({ text }) => text.startsWith(last)).map(({ about, text }) => `${text}\t${about}`)
    if (lines.length > 0) yield* result(lines.join("\n"))
  },
  (work) => Effect.ignore(work)
)

/* The scripts for the shells. They call this program, and complete file names if it prints nothing. */

const bash = `# In ~/.bashrc: source <(task-conductor completion bash)
_task_conductor() {
  local index word whole="" strip line
  local -a words=()
  # bash takes ":" and "=" for words of their own, which names of models contain.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ -n $whole && ( $word == [:=]* || $whole == *[:=] ) ]]; then
      whole+=$word
      words[\${#words[@]}-1]=$whole
    else
      whole=$word
      words+=("$word")
    fi
  done
  strip=\${whole%"\${whole##*[:=]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    COMPREPLY+=("\${line#"$strip"}")
  done < <(task-conductor complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _task_conductor task-conductor
`

const zsh = `# In ~/.zshrc, after compinit: source <(task-conductor completion zsh)
_task_conductor() {
  local line
  local -a found
  for line in "\${(@f)$(task-conductor complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then
    _describe task-conductor found
  else
    _files
  fi
}
compdef _task_conductor task-conductor
`

const fish = `# In ~/.config/fish/config.fish: task-conductor completion fish | source
function __task_conductor_complete
    set -l word (commandline -ct)
    set -l words (commandline -opc) "$word"
    set -l found (task-conductor complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c task-conductor -f -a '(__task_conductor_complete)'
`

const powershell = `# In $PROFILE: task-conductor completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName task-conductor -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    task-conductor complete -- @words $wordToComplete 2>$null | ForEach-Object {
        $text, $about = $_ -split "\\t", 2
        if (-not $about) { $about = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
    }
}
`

const scripts = { bash, zsh, fish, powershell }

const shells = ["bash", "zsh", "fish", "powershell"] as const

export const completion = Command.make(
  "completion",
  {
    shell: Argument.Literals("SHELL", shells).pipe(Argument.withDescription("bash, zsh, fish or powershell"))
  },
  Effect.fn("completion")(function* ({ shell }) {
    const { result } = yield* Output
    yield* result(scripts[shell].trimEnd())
  })
).pipe(
  withHelp("Print a script that lets your shell complete commands, flags, models, runs, skills and files", {
    "source <(task-conductor completion bash)": "In ~/.bashrc",
    "source <(task-conductor completion zsh)": "In ~/.zshrc, after compinit",
    "task-conductor completion fish | source": "In ~/.config/fish/config.fish",
    "task-conductor completion powershell | Out-String | Invoke-Expression": "In $PROFILE"
  })
)
