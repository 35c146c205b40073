import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { describe, expect } from "@effect/vitest"
import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs"
import { CurrentUser, StateFolder, userFolders } from "../../../src/services/configuration/UserFolders.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** A project, the home folder that the system knows, and another folder of the user. */
const makeWorld = Effect.gen(function* () {
  const root = yield* makeFolder
  for (const name of ["project", "home", "other"]) mkdirSync(`${root}/${name}`, { mode: 0o755 })
  return { root, project: `${root}/project`, home: `${root}/home`, other: `${root}/other` }
})

/** A world in which folders lead into the project, or are open to other users, themselves or below. */
const makeTraps = Effect.gen(function* () {
  const world = yield* makeWorld
  const { project, root } = world
  for (const name of ["project/home", "open", "inner/task-conductor", "half"]) {
    mkdirSync(`${root}/${name}`, { recursive: true })
  }
  for (const name of ["open", "inner/task-conductor"]) chmodSync(`${root}/${name}`, 0o777)
  for (const name of ["link", "half/task-conductor"]) symlinkSync(project, `${root}/${name}`)
  const placed = (text: string) => text.replace("<project>", project).replace("<root>", root)
  return { ...world, placed }
})

interface Machine {
  readonly project: string
  /** The home folder that the system knows. */
  readonly home?: string
  readonly env: Readonly<Record<string, string>>
  /** Where a script wants its runs. */
  readonly chosen?: string
  readonly uid?: number
}

const foldersOf = ({ chosen = "", env, home, project, uid = process.getuid?.() ?? 0 }: Machine) =>
  userFolders(project).pipe(
    Effect.provideService(StateFolder, chosen),
    Effect.provideService(CurrentUser, { ...(home === undefined ? {} : { home }), uid, gid: process.getgid?.() ?? 0 }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

describe("userFolders", () => {
  nodeTest("follows the variables when they name folders of the user", function* () {
    const { home, other, project } = yield* makeWorld
    const foldersIn = (config: string, state: string) => ({
      home,
      config,
      settings: `${config}/task-conductor`,
      state: `${state}/task-conductor`,
      locks: `${state}/task-conductor/locks`,
      notes: []
    })
    const [config, state] = [`${home}/.config`, `${home}/.local/state`]
    expect(yield* foldersOf({ project, home: "/nowhere", env: { HOME: home } })).toEqual({
      ...foldersIn(config, state),
      candidates: [config, "/nowhere/.config", state, "/nowhere/.local/state"].map((one) => `${one}/task-conductor`)
    })
    const env = { HOME: home, XDG_CONFIG_HOME: `${other}/c`, XDG_STATE_HOME: `${other}/s` }
    expect(yield* foldersOf({ project, home, env })).toEqual({
      ...foldersIn(`${other}/c`, `${other}/s`),
      candidates: [`${other}/c`, config, `${other}/s`, state].map((one) => `${one}/task-conductor`)
    })
  })

  nodeTest("keeps runs where a script says, and locks on projects where they are for all", function* () {
    const { home, other, project } = yield* makeWorld
    const env = { HOME: home }
    const { locks, state } = yield* foldersOf({ project, home, env, chosen: `${other}/runs` })
    expect([state, locks]).toEqual([`${other}/runs`, `${home}/.local/state/task-conductor/locks`])
    expect((yield* foldersOf({ project, home, env, chosen: "runs" })).state).toBe(`${process.cwd()}/runs`)
  })

  const relative = "it is not an absolute path"
  const inProject = "it lies in the project"
  const open = "other users can write it"

  nodeTest("takes the home folder that the system knows when HOME is none of the user", function* () {
    const rows: ReadonlyArray<readonly [home: string | undefined, problem?: string]> = [
      [undefined],
      [""],
      [".", relative],
      ["home/you", relative],
      ["<project>", inProject],
      ["<project>/../project/.", inProject],
      ["<project>/home", inProject],
      ["<project>/not/there", inProject],
      ["<root>/link", inProject],
      ["<root>/open", open]
    ]
    for (const [written, problem] of rows) {
      const { home, placed, project } = yield* makeTraps
      const env: Record<string, string> = written === undefined ? {} : { HOME: placed(written) }
      const { notes, settings, state } = yield* foldersOf({ project, home, env })
      expect([settings, state]).toEqual([`${home}/.config/task-conductor`, `${home}/.local/state/task-conductor`])
      const note = `HOME names ${JSON.stringify(env["HOME"])}, which is not used as a folder of yours: ${problem}.`
      expect(notes, written).toEqual(problem === undefined ? [] : [note])
    }
  })

  nodeTest("takes no folder of configuration or runs that is none of the user", function* () {
    const rows: ReadonlyArray<readonly [written: string, problem: string]> = [
      ["relative", relative],
      ["<project>/.config", inProject],
      ["<root>/link", inProject],
      ["<root>/half", inProject],
      ["<root>/open", open],
      ["<root>/inner", open]
    ]
    for (const variable of ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]) {
      for (const [written, problem] of rows) {
        const { home, placed, project } = yield* makeTraps
        const value = placed(written)
        const folders = yield* foldersOf({ project, home, env: { HOME: home, [variable]: value } })
        expect([folders.config, folders.state]).toEqual([`${home}/.config`, `${home}/.local/state/task-conductor`])
        expect(folders.notes).toEqual([
          `${variable} names ${JSON.stringify(value)}, which is not used as a folder of yours: ${problem}.`
        ])
      }
    }
  })

  nodeTest("takes no folder of another user", function* () {
    const { home, project } = yield* makeWorld
    /* Folders of root are everybody's, and only root can give one away. */
    const me = process.getuid?.() ?? 0
    if (me === 0) chownSync(home, 12_345, 12_345)
    const uid = me === 0 ? 0 : me + 1
    const { notes, settings } = yield* foldersOf({ project, home: "/nowhere", env: { HOME: home }, uid })
    expect(notes[0]).toContain("it belongs to another user")
    expect(settings).toBe("/nowhere/.config/task-conductor")
  })

  nodeTest("stays with the user's true home in a project around it", function* () {
    const { home, root } = yield* makeWorld
    for (const project of [root, home]) {
      const { notes, settings } = yield* foldersOf({ project, home, env: { HOME: home } })
      expect([settings, notes]).toEqual([`${home}/.config/task-conductor`, []])
    }
  })

  nodeTest("takes a private temporary folder when there is none of the user", function* () {
    const { project } = yield* makeWorld
    const { notes, settings } = yield* foldersOf({ project, env: { HOME: project } })
    expect(settings).not.toContain(project)
    expect(settings).toMatch(/task-conductor-nobody-\w+\/\.config\/task-conductor$/)
    expect(notes.at(-1)).toMatch(/^No folder of yours can be used: /)
  })
})
