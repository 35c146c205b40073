/**
 * `task-conductor completion SHELL` prints a script for a shell. The script calls `task-conductor complete -- WORDS`, which
 * prints what the last word may become: one candidate a line, behind a tab what it is.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { askServer } from "../../app/modelWindow.ts"
import { layerSkills } from "../../app/projectLayers.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import { readSetup, serverToChooseFrom, withServerToChooseFrom } from "../../app/setup.ts"
import { shortened } from "../../domain/text/Excerpt.ts"
import { printable } from "../../domain/text/Printable.ts"
import { RunStore } from "../../services/history/RunStore.ts"
import { Skills } from "../../services/skills/Skills.ts"
import { withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"
import { type Candidate, type Kind, wantedFor } from "./Candidates.ts"
import { scripts } from "./scripts.ts"

/** A person waits for the key that they pressed. */
const patience = "1 second"
const mostRuns = 20

const models = Effect.fnUntraced(function* () {
  const setup = yield* withServerToChooseFrom(yield* readSetup(".", {}))
  const ask = askServer(setup, ({ inventory = Effect.succeed([]) }) => inventory, {
    provider: serverToChooseFrom(setup),
    patience
  })
  const installed = yield* Effect.orElseSucceed(ask, () => [])
  const found = (installed ?? []).map(({ name }) => ({ text: name, about: "installed" }))
  return [...found, { text: "embedded", about: "the built-in demo" }]
})

const runs = Effect.gen(function* () {
  const all = yield* RunStore.use(({ list }) => list)
  const found = all.slice(0, mostRuns).map(({ prompt = "", runId, standing }) => ({
    text: runId,
    about: `${standing}: ${shortened(printable(prompt.replace(/\s+/g, " ")), 60)}`
  }))
  return [{ text: "last", about: "the newest run of this project" }, ...found]
}).pipe(Effect.provide(layerRuns))

const skills = Effect.gen(function* () {
  const setup = yield* readSetup(".", {})
  const { all } = yield* Effect.provide(Skills, layerSkills(setup))
  return all.map(({ skill: { description, name } }) => ({ text: name, about: shortened(printable(description), 60) }))
})

const candidatesOf = (kind: Kind) => (kind === "model" ? models() : kind === "run" ? runs : skills)

/** Prints what the last word may become; nothing where files belong, and nothing when something is wrong. */
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

const shells = ["bash", "zsh", "fish", "powershell"] as const

/** The command. */
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
  withHelp("Print a script with which a shell completes commands, flags, models, runs, skills and files", {
    "source <(task-conductor completion bash)": "In ~/.bashrc",
    "source <(task-conductor completion zsh)": "In ~/.zshrc, after compinit",
    "task-conductor completion fish | source": "In ~/.config/fish/config.fish",
    "task-conductor completion powershell | Out-String | Invoke-Expression": "In $PROFILE"
  })
)
