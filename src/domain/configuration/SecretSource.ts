/** Where the user's own configuration says that a secret is. */
import * as Schema from "effect/Schema"
import { CommandLine } from "../commands/CommandText.ts"

/** A secret in a file, printed by a command, or in an environment variable of another name. */
export const SecretSource = Schema.Union([
  Schema.Struct({
    file: Schema.NonEmptyString.annotate({
      description: "A file that only you can read, with the secret alone. A relative path starts at this file's folder."
    })
  }),
  Schema.Struct({
    command: CommandLine.annotate({ description: "A command that prints the secret, such as one of your keychain." })
  }),
  Schema.Struct({
    environment: Schema.NonEmptyString.annotate({ description: "An environment variable of another name." })
  })
])
export type SecretSource = typeof SecretSource.Type

/** A secret's name is that of the environment variable that it usually stands in. */
export const isSecretName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** A shorter secret is no secret, and could not be taken out of texts: it may be a word that stands everywhere. */
export const leastSecret = 8
