import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { describe, expect, layer } from "@effect/vitest"
import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs"
import { CurrentUser, StateFolder, userFolders } from "../../../src/services/configuration/UserFolders.ts"
import { makeFolder } from "../../support/Project.ts"

/** A project, the home folder that the system knows, and another folder of the user. */
const makeWorld = Effect.gen(function* () {
  const root = yield* makeFolder
  for (const name of ["project", "home", "other"]) mkdirSync(`${root}/${name}`, { mode: 0o755 })
  return { root, project: `${root}/project`, home: `${root}/home`, other: `${root}/other` }
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

layer(NodeServices.layer)("userFolders", (it) => {
  it.effect("follows the variables when they name folders of the user", () =>
    Effect.gen(function* () {
      const { home, other, project } = yield* makeWorld
      expect(yield* foldersOf({ project, home: "/nowhere", env: { HOME: home } })).toEqual({
        home,
        config: `${home}/.config`,
        settings: `${home}/.config/task-conductor`,
        state: `${home}/.local/state/task-conductor`,
        locks: `${home}/.local/state/task-conductor/locks`,
        candidates: [
          `${home}/.config/task-conductor`,
          "/nowhere/.config/task-conductor",
          `${home}/.local/state/task-conductor`,
          "/nowhere/.local/state/task-conductor"
        ],
        notes: []
      })
      const env = { HOME: home, XDG_CONFIG_HOME: `${other}/c`, XDG_STATE_HOME: `${other}/s` }
      expect(yield* foldersOf({ project, home, env })).toEqual({
        home,
        config: `${other}/c`,
        settings: `${other}/c/task-conductor`,
        state: `${other}/s/task-conductor`,
        locks: `${other}/s/task-conductor/locks`,
        candidates: [
          `${other}/c/task-conductor`,
          `${home}/.config/task-conductor`,
          `${other}/s/task-conductor`,
          `${home}/.local/state/task-conductor`
        ],
        notes: []
      })
    })
  )

  it.effect("keeps runs where a script says, and locks on projects where they are for all", () =>
    Effect.gen(function* () {
      const { home, other, project } = yield* makeWorld
      const env = { HOME: home }
      const { locks, state } = yield* foldersOf({ project, home, env, chosen: `${other}/runs` })
      expect([state, locks]).toEqual([`${other}/runs`, `${home}/.local/state/task-conductor/locks`])
      expect((yield* foldersOf({ project, home, env, chosen: "runs" })).state).toBe(`${process.cwd()}/runs`)
    })
  )

  describe("takes the home folder that the system knows when HOME", () => {
    const cases: ReadonlyArray<readonly [string, (project: string) => Record<string, string>, string | undefined]> = [
      ["is not set", () => ({}), undefined],
      ["is empty", () => ({ HOME: "" }), undefined],
      ["is relative", () => ({ HOME: "." }), "it is not an absolute path"],
      ["is a relative folder", () => ({ HOME: "home/you" }), "it is not an absolute path"],
      ["is the project", (project) => ({ HOME: project }), "it lies in the project"],
      [
        "is the project with another spelling",
        (project) => ({ HOME: `${project}/../project/.` }),
        "it lies in the project"
      ],
      ["is a folder of the project", (project) => ({ HOME: `${project}/home` }), "it lies in the project"],
      [
        "is a folder of the project that does not exist",
        (project) => ({ HOME: `${project}/a/b` }),
        "it lies in the project"
      ],
      ["is a link into the project", (project) => ({ HOME: `${project}/../link` }), "it lies in the project"],
      [
        "is a folder that everybody can write",
        (project) => ({ HOME: `${project}/../open` }),
        "other users can write it"
      ]
    ]
    for (const [name, envOf, problem] of cases) {
      it.effect(name, () =>
        Effect.gen(function* () {
          const { home, project, root } = yield* makeWorld
          mkdirSync(`${project}/home`)
          mkdirSync(`${root}/open`)
          chmodSync(`${root}/open`, 0o777)
          symlinkSync(`${project}/home`, `${root}/link`)
          const env = envOf(project)
          const folders = yield* foldersOf({ project, home, env })
          expect(folders).toMatchObject({ home, settings: `${home}/.config/task-conductor` })
          expect(folders.state).toBe(`${home}/.local/state/task-conductor`)
          expect(folders.notes).toEqual(
            problem === undefined
              ? []
              : [`HOME names ${JSON.stringify(env["HOME"])}, which is not used as a folder of yours: ${problem}.`]
          )
        })
      )
    }
  })

  describe("takes no folder of configuration or runs", () => {
    for (const variable of ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]) {
      const cases: ReadonlyArray<readonly [string, string, string]> = [
        ["that is relative", "relative", "it is not an absolute path"],
        ["in the project", "<project>/.config", "it lies in the project"],
        ["that links into the project", "<root>/link", "it lies in the project"],
        ["whose own part links into the project", "<root>/half", "it lies in the project"],
        ["that everybody can write", "<root>/open", "other users can write it"],
        ["whose own part everybody can write", "<root>/inner", "other users can write it"]
      ]
      for (const [name, written, problem] of cases) {
        it.effect(`${name}, named by ${variable}`, () =>
          Effect.gen(function* () {
            const { home, project, root } = yield* makeWorld
            for (const one of ["open", "inner", "half"]) mkdirSync(`${root}/${one}`)
            chmodSync(`${root}/open`, 0o777)
            mkdirSync(`${root}/inner/task-conductor`)
            chmodSync(`${root}/inner/task-conductor`, 0o777)
            symlinkSync(project, `${root}/link`)
            symlinkSync(project, `${root}/half/task-conductor`)
            const value = written.replace("<project>", project).replace("<root>", root)
            const folders = yield* foldersOf({ project, home, env: { HOME: home, [variable]: value } })
            expect([folders.config, folders.state]).toEqual([`${home}/.config`, `${home}/.local/state/task-conductor`])
            expect(folders.notes).toEqual([
              `${variable} names ${JSON.stringify(value)}, which is not used as a folder of yours: ${problem}.`
            ])
          })
        )
      }
    }
  })

  it.effect("takes no folder of another user", () =>
    Effect.gen(function* () {
      const { home, project } = yield* makeWorld
      /* Folders of root are everybody's, and only root can give one away. */
      const me = process.getuid?.() ?? 0
      if (me === 0) chownSync(home, 12_345, 12_345)
      const uid = me === 0 ? 0 : me + 1
      const { notes, settings } = yield* foldersOf({ project, home: "/nowhere", env: { HOME: home }, uid })
      expect(notes[0]).toContain("it belongs to another user")
      expect(settings).toBe("/nowhere/.config/task-conductor")
    })
  )

  it.effect("stays with the user's true home in a project around it", () =>
    Effect.gen(function* () {
      const { home, root } = yield* makeWorld
      const { notes, settings } = yield* foldersOf({ project: root, home, env: { HOME: home } })
      expect([settings, notes]).toEqual([`${home}/.config/task-conductor`, []])
      const atHome = yield* foldersOf({ project: home, home, env: { HOME: home } })
      expect([atHome.settings, atHome.notes]).toEqual([`${home}/.config/task-conductor`, []])
    })
  )

  it.effect("takes a private temporary folder when there is none of the user", () =>
    Effect.gen(function* () {
      const { project } = yield* makeWorld
      const { notes, settings } = yield* foldersOf({ project, env: { HOME: project } })
      expect(settings).not.toContain(project)
      expect(settings).toMatch(/task-conductor-nobody-\w+\/\.config\/task-conductor$/)
      expect(notes.at(-1)).toMatch(/^No folder of yours can be used: /)
    })
  )
})
