/** The rules about files that users write. Families and rules are in the order of the documentation. */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, promised, report, skillFormat } from "./Sources.ts"

export const fileRules = [
  family("skill-files", "Skill files", "What a SKILL.md must hold.", {
    "skill-not-text": error("Skill file is not text", "Only UTF-8 can be read.", "Save it as UTF-8."),
    "front-matter-broken": error(
      "Front matter cannot be read",
      "It holds the name and the description of the skill.",
      "Begin the file with a line ---, then name and description, then a line ---."
    ),
    "front-matter-unquoted": note(
      "Value with a colon not quoted",
      "Many skills are written like this, and one reading is possible.",
      "Put the value into quotes.",
      report("pbakaus/impeccable/issues/102")
    ),
    "skill-name-missing": error(
      "Skill without name",
      "Tasks name their skill.",
      "Add the line `name:` with the name of the folder."
    ),
    "skill-name-not-folder": error("Name is not the folder", "A skill is found by its folder.", "Rename one of them."),
    "skill-name-form": warning(
      "Name in another form",
      "Other programs read only names of at most 64 lower-case letters, digits and single hyphens.",
      "Rename the skill and its folder.",
      skillFormat
    ),
    "skill-description-missing": error(
      "Skill without description",
      "The planner chooses skills by their descriptions.",
      "Say in one or two sentences what it does and when to use it."
    ),
    "skill-description-long": warning(
      "Description too long",
      "Every prompt of the planner holds it, so it has at most 1024 characters.",
      "Shorten it.",
      skillFormat
    ),
    "skill-tools-form": note(
      "Tools in another form",
      "The tools stand in one line, separated by blanks.",
      "Write them in one line, such as `allowed-tools: read_file search_files`.",
      skillFormat
    ),
    "skill-metadata-form": note(
      "Setting without quotes",
      "Metadata holds strings.",
      'Put the value into quotes, such as "true" or "1.0".',
      skillFormat
    ),
    "skill-approval-value": warning(
      "Approval is neither true nor false",
      "Whatever is not a clear no asks for approval.",
      'Write "true", or leave the line out.',
      promised("reference/skills.md")
    ),
    "skill-model-name": warning(
      "Not the name of a model",
      "A skill can only choose a model of the user's own server, not a URL or a path.",
      "Write a name as `ollama list` shows it.",
      promised("reference/skills.md")
    ),
    "skill-turns-value": warning(
      "Not a number of turns",
      "A task has a limited number of turns.",
      'Write a number from "1" to "100", or leave the line out.',
      promised("reference/skills.md")
    ),
    "skill-heading-form": note(
      "Heading of a part in another form",
      "The parts of a skill are found by their headings.",
      "Write `## Input requirements`, `## How to work`, `## How to report`.",
      promised("reference/skills.md")
    )
  }),
  family(
    "skill-format",
    "Skill format",
    "What `skills lint` finds beside the rules of [skill files](skill-files.md). A run reads such a skill all the same.",
    {
      "skill-key-unknown": error(
        "Unknown key",
        "Other programs refuse a file with a key that the format does not have.",
        "Use only name, description, license, compatibility, metadata and allowed-tools."
      ),
      "skill-compatibility-long": error(
        "Long compatibility note",
        "The format allows 500 characters.",
        "Say in a sentence what the skill needs."
      ),
      "skill-description-when": warning(
        "Description does not say when",
        "The planner sees the description alone and chooses by it.",
        "Add a sentence such as `Use it when ...`.",
        skillFormat
      ),
      "skill-tool-unknown": warning(
        "Unknown tool",
        "A missing tool cannot be called. If all tools of a skill are missing, the skill is not offered.",
        "Name tools as `task-conductor tools list` shows them.",
        ofProgram
      ),
      "skill-script-forbidden": warning(
        "Script that no task can run",
        "The text names a script, and `allowed-tools` does not allow the command that runs it.",
        "Add `run_command` to `allowed-tools`, or a limit that fits the script.",
        ofProgram
      ),
      "skill-tool-foreign": note(
        "Tool of another program",
        "The tool does the same as one that has another name here.",
        "Nothing is to be done for a skill that several programs use; otherwise write the name that was read.",
        skillFormat
      ),
      "skill-setting-unknown": error(
        "Unknown setting",
        "A misspelled setting has no effect.",
        "Write `task-conductor.requires-approval` or `task-conductor.model` under `metadata`."
      ),
      "skill-heading-unknown": warning(
        "Unknown heading",
        "In a skill with our headings, text under any other heading is not sent to the model.",
        "Put the text under `## Input requirements`, `## How to work` or `## How to report`.",
        ofProgram
      ),
      "skill-execution-missing": warning(
        "Nothing to execute",
        "The model that writes the result sees only the execution part.",
        "Say under `## How to report` what the result must hold.",
        ofProgram
      ),
      "skill-part-large": warning(
        "Large part",
        "Every word of a part leaves less of a small context window for the work.",
        "Keep a part below 1000 tokens, or make two skills of it.",
        ofProgram
      ),
      "skill-too-large": error(
        "Skill too large",
        "The format asks for less than 5000 tokens, and small windows hold no more.",
        "Shorten or split it."
      ),
      "skill-placeholder": error(
        "Placeholder text",
        "A model copies or obeys what was meant for the author.",
        "Write what is meant, or leave the line out."
      ),
      "skill-link-broken": error(
        "Broken link",
        "There is no file at the target.",
        "Correct the path; it is relative to SKILL.md."
      ),
      "skill-input-type": error(
        "Type of an input",
        "A line that only looks like a typed input is neither filled in nor checked.",
        "Write one of text, path, url, number, yes-no, or choice of A, B, then required or optional."
      ),
      "skill-input-name": error(
        "Name of an input",
        "An input is found by its name in the answer of a model, so every name stands once.",
        "Use at most 40 lower-case letters, digits and hyphens, beginning with a letter."
      )
    }
  ),
  family("templates", "Prompt templates", "What a template must hold. Checked when the program starts.", {
    "marker-missing": error(
      "Marker line missing",
      "It separates the system part from the user part.",
      "Put the marker line between the two parts, exactly once."
    ),
    "marker-doubled": error(
      "Marker line twice",
      "A prompt has two parts.",
      "Put the marker line between the two parts, exactly once."
    ),
    "placeholder-unknown": error(
      "Unknown placeholder",
      "Nothing would fill it in.",
      "Use the placeholders of the template."
    ),
    "placeholder-missing": error(
      "Placeholder missing",
      "The model would not see its value.",
      "Put it where its value belongs."
    ),
    "optional-part-unbalanced": error(
      "Optional part not closed",
      "Nothing shows where the part ends.",
      "Close every optional part {#name} with {/name} before the next one begins."
    ),
    "template-unreadable": error(
      "Template cannot be read",
      "Every stage has its template.",
      "Install the package again, it ships this file."
    )
  })
] as const
