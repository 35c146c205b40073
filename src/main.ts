/**
 * The binary. bin/task-conductor.cjs imports it after it has looked at the version of Node.
 */
import { launch } from "./cli/launch.ts"

launch(process.argv.slice(2))
