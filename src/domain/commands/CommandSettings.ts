/**
 * What a person may decide about commands: their sandbox, and how long one may run. Read by the configuration and by the
 * services that run commands.
 */
import * as Schema from "effect/Schema"

/** How long a command may run, in seconds: when nothing is said, and at most. */
export const commandSeconds = { usual: 120, most: 1800 } as const

const key = <A>(schema: Schema.Codec<A>, description: string) => Schema.optionalKey(schema.annotate({ description }))

const Folder = Schema.String.check(
  Schema.isPattern(/^(?:\/|~\/)[^\0]*$/, { expected: 'an absolute path, or one that begins with "~/"' })
)

/** Where commands run. */
export const SandboxSettings = Schema.Struct({
  mode: key(
    Schema.Literals(["auto", "required", "off"]),
    '"auto" uses the sandbox if bubblewrap works, "required" runs no command without it, "off" never uses it. Default: "auto".'
  ),
  network: key(Schema.Boolean, "Whether commands can use the network. Default: false."),
  writable: key(
    Schema.Array(Folder),
    "Folders in addition to the project that commands may write to, such as a cache."
  ),
  readable: key(Schema.Array(Folder), "Folders in the home folder that commands may read, such as a toolchain.")
})
export type SandboxSettings = typeof SandboxSettings.Type
