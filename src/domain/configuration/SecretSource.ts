/** Where the user's configuration says that a secret is stored. */
import * as Schema from "effect/Schema"
import { CommandLine } from "../commands/CommandText.ts"

/** A secret in a file, in the output of a command, or in an environment variable of another name. */
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

/** True for a secret's name, usually that of the environment variable with the secret. */
export const isSecretName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** The minimum length of a secret. A shorter one could be a common word, which cannot be removed from texts. */
export const leastSecret = 8
