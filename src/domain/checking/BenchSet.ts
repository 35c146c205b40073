/**
 * The tasks with which models are compared, on the project in templates/bench: prompts to plan, and what the tasks of its plan have
 * to name. Small enough for a slow machine, and of every kind of work: searching, reading, writing, drawing together.
 */

/** Prompts to plan. */
export const benchPrompts: ReadonlyArray<string> = [
  "Which settings does the service read from the environment, and which of them have no default?",
  "Write NOTES.md with one line for each file in src that says what the file is for.",
  "Where is the port of the service defined, and which files use it? Then say what has to change to serve two ports."
]

/** What the plan in templates/bench/plan.md is for. */
export const benchPrompt = "List the settings of the service, and write them into SETTINGS.md."

/** What each task of the plan has to name to be right. */
const settingNames = ["PARCEL_PORT", "PARCEL_HOST", "PARCEL_TOKEN"]
export const benchAnswers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Search 1": ["src/server.js"],
  "Read 1": settingNames,
  "Summary 1": settingNames,
  "Write 1": settingNames
}

/** The task that has to write it, not only to report it. */
export const benchWriter = "Write 1"
