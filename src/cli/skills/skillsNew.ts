/**
 * `task-conductor skills new NAME`: creates a working skill that follows every rule, as a template.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { printable } from "../../domain/text/Printable.ts"
import { scaffoldSkill, skillNameRules } from "../../domain/skills/SkillScaffold.ts"
import { userFolders } from "../../services/configuration/UserFolders.ts"
import { makeFolders } from "../../services/files/PrivateFile.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { runFlags } from "../run/runFlags.ts"

const newFolder = 0o777

/** Makes the folder and its files; an existing folder is not changed. */
const write = Effect.fnUntraced(function* (folder: string, files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* makeFolders(path.dirname(folder), newFolder)
  yield* Effect.mapError(fs.makeDirectory(folder), (error) =>
    error.reason._tag === "AlreadyExists"
      ? usageFailure(`${folder} exists already. Choose another name, or remove it first.`)
      : error
  )
  for (const [name, text] of Object.entries(files)) {
    yield* makeFolders(path.join(folder, path.dirname(name)), newFolder)
    yield* fs.writeFileString(path.join(folder, name), text, { flag: "wx" })
  }
})

/** The command. */
export const skillsNew = Command.make(
  "new",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of the skill, such as count-words")),
    project: runFlags.project,
    user: Flag.Boolean("user").pipe(
      Flag.withDescription("Create it for all your projects: task-conductor skills new count-words --user"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("skills new")(function* ({ name, project, user }) {
    const { result, tell } = yield* Output
    const path = yield* Path.Path
    const files = scaffoldSkill(name)
    if (files === undefined) return yield* usageFailure(`"${printable(name)}" cannot be used. ${skillNameRules}`)
    const own = user ? (yield* userFolders(project)).own : path.resolve(project, ".task-conductor")
    const folder = path.join(own, "skills", name)
    yield* write(folder, files)
    yield* result(path.join(folder, "SKILL.md"))
    yield* tell(
      `Change what it says, then check it: task-conductor skills lint ${folder}, task-conductor skills test ${name}.`
    )
  })
).pipe(
  Command.withDescription("Create a skill with a test, in the project or, with --user, for all your projects"),
  Command.withExamples([
    { command: "task-conductor skills new count-words", description: "Create it in .task-conductor/skills of the project" },
    { command: "task-conductor skills new count-words --user", description: "Create it for all your projects" }
  ])
)
