/**
 * Why the database of a cluster cannot be used.
 */
import * as Schema from "effect/Schema"

/** The name of the variable that says where the database is. */
export const databaseVariable = "TASK_CONDUCTOR_DATABASE"

/** There is no database, or it does not answer as it should; `what` never holds its address, which has a password. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  what: Schema.String
}) {
  override get message(): string {
    return `The database that ${databaseVariable} names cannot be used: ${this.what}.`
  }
}
