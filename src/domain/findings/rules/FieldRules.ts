/**
 * The rules about names, references, and the fields of a task. Families and rules are in the order of the
 * documentation.
 */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, ollmChat, promised, superpowers } from "./Sources.ts"

const targets =
  "Use a heading such as #project-description, a result such as #research-1-results, the path of a file, or an http(s) URL."

export const fieldRules = [
  family("fields", "Fields of a task", "The labels of a task and what stands after them.", {
    "field-missing": error("Required field missing", "The field has no default.", "Add the field."),
    "field-empty": error("Required field empty", "The field has no default.", "Write the value after the label."),
    "field-unknown": error(
      "Unknown field",
      "Nothing reads it, so its content would be lost.",
      "Use only the fields of the format; put other text into *What is needed*."
    ),
    "field-duplicate": error(
      "Field given twice",
      "Only one of them can be meant.",
      "Keep one of them, or start a new task with its own fields after a blank line."
    ),
    "field-too-large": error(
      "Field too large",
      "Links are not looked for in a text of this size or nesting.",
      "List only the links that the task needs."
    ),
    "output-in-new-task": error(
      "Output in a new task",
      "Only finished tasks have an output.",
      'Remove "Output". Say under "Expected output" what the result must contain.'
    ),
    "for-each-form": error(
      "Unclear items",
      "The host lists the items of a task before it starts, so it must know what they are and where.",
      "Write what counts as an item and where: a file, line or heading in a pattern of paths, or an entry in a result."
    ),
    "for-each-empty": error(
      "No items",
      "A task for each item does nothing where there is none.",
      "Write a pattern that covers files of the project, and words that they contain."
    ),
    "for-each-form-read": note(
      "Items written differently",
      "It says what the items are in other words than the format.",
      "Write `file in <pattern>`, `line in <pattern>`, `heading in <pattern>` or `entry in <link>`.",
      promised("reference/formats.md#a-task-for-each-item")
    ),
    "for-each-count": note(
      "Number of items",
      "A task for each item takes some calls of the model for each of them.",
      "Narrow the pattern where items are not needed.",
      ofProgram
    ),
    "field-label": note(
      "Label in another form",
      "Colon, missing bold, missing list marker, numbered list.",
      "Write `- **Label** value`.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "field-spelling": note(
      "Label spelled differently",
      "Exactly one label can be meant.",
      "Use the words of the format.",
      ollmChat("docs/bugs/done/2026-04-06-FIXED-task-list-skill-line-shows-skill-docsbase.md")
    ),
    "field-indentation": note(
      "Field on another level",
      "The indentation differs from the other fields.",
      "Begin all fields of a task in one column.",
      promised("reference/formats.md#task-list")
    ),
    "code-block-moved": note(
      "Code block moved to the task",
      "This field holds no code.",
      "Put a code block after the task.",
      ollmChat("tests/markdown/indented-fenced-blocks.md")
    ),
    "approval-value": warning(
      "Unusual approval value",
      "Anything that is not a no asks for approval.",
      "Write the label without a value, `yes` or `no`.",
      promised("reference/formats.md#fields")
    )
  }),
  family("names", "Names", "Every task has a name, and its result is found by the slug of the name.", {
    "name-duplicate": error(
      "Two tasks with one name",
      "Results are found by the slug of the name.",
      "Give each task a name of its own."
    ),
    "name-form": note(
      "Marks around a name",
      "A name is plain text.",
      "Write the name as plain text.",
      ollmChat("resources/skill-prompts/task_list_iteration.md")
    ),
    "name-replaced": warning(
      "Name without letters",
      "Nothing could refer to it.",
      "Give a name with a letter or a digit.",
      promised("reference/formats.md#names-and-anchors")
    ),
    "name-from-heading": note(
      "Name taken from the heading",
      "The heading of the task names it.",
      "Write the name into the field *Name*.",
      superpowers
    )
  }),
  family(
    "references",
    "References",
    "The links of a task: their form, what they mean in the list, and what they find in the project.",
    {
      "references-prose": error(
        "References without a link",
        "The host resolves links; it does not interpret prose.",
        "Write markdown links only, or leave the field out."
      ),
      "reference-empty": error("Link without target", "There is nothing to resolve.", targets),
      "reference-glob": error(
        "Pattern as reference",
        "A reference is one file.",
        "Link each file by its own path, or let the task search for files."
      ),
      "reference-folder": error(
        "Folder as reference",
        "A reference is one file.",
        "Link the files in it by their own paths, or let the task list the folder."
      ),
      "reference-spaces": error(
        "Spaces in a link target",
        "Markdown ends the target at the space.",
        "Put a target with spaces between angle brackets."
      ),
      "reference-kind": error(
        "Unknown kind of reference",
        "Only headings, results, files and web pages are resolved.",
        targets
      ),
      "reference-url": error(
        "Invalid URL",
        "It cannot be fetched.",
        "Write the complete address with https:// and without spaces."
      ),
      "reference-self": error(
        "Task refers to its own result",
        "The result does not exist while the task runs.",
        "Remove the reference."
      ),
      "reference-order": error(
        "Result of the same or a later section",
        "Results exist only for strictly earlier sections.",
        "Move the task into a section after the one it refers to."
      ),
      "reference-task-unknown": error(
        "Result of an unknown task",
        "No task of the list has this name.",
        "Add that task in an earlier section, or leave the reference out."
      ),
      "reference-missing": error(
        "File not found",
        "A task cannot read what is not there.",
        "Refer to a file that exists, absolute or relative to the project.",
        "Name the files with their paths in the request, or open them with --file."
      ),
      "reference-unreadable": error(
        "Target cannot be read",
        "Only text can be shown to a model.",
        "Correct the reference or leave it out.",
        "Check that the files can be read and are text."
      ),
      "reference-denied": error(
        "Target that would be denied",
        "A task whose reference is denied is lost when it runs.",
        "Leave the reference out, or refer to something that may be read.",
        "Allow it with --allow, or start the run on a terminal."
      ),
      "reference-lines": error(
        "Lines that the file does not have",
        "There would be nothing to read.",
        "Refer to lines that the file has."
      ),
      "reference-heading-unknown": error(
        "Unknown heading",
        "A heading that is not there has no text.",
        "Refer to a heading that exists."
      ),
      "references-too-large": error(
        "References too large",
        "A long reference is shown in parts, but so many have no room even for their outlines.",
        "Narrow the largest references to lines or a heading, or leave them out.",
        "Ask for less at once, or raise contextWindow, and referenceBudget if you have set it."
      ),
      "task-too-large": error(
        "Task too large",
        "The prompts of a task must fit into the window of the model, with room for outputs and an answer.",
        "Shorten the task, move long text into a file and refer to it, or split the task.",
        "Ask for less at once, or raise contextWindow."
      ),
      "references-none": note(
        "Word for no references",
        "An empty field says the same.",
        "Leave the field out.",
        ollmChat("resources/skill-prompts/task_list_iteration.md")
      ),
      "reference-own-dropped": warning(
        "Own result left out of a refinement",
        "The result does not exist while the task runs, and the plan does not refer to it.",
        "Refer to results of other tasks only.",
        promised("reference/formats.md#names-and-anchors")
      ),
      "references-text": warning(
        "Text beside links ignored",
        "Only links are resolved.",
        "Write links only.",
        ollmChat("resources/skill-prompts/task_creation_initial.md")
      ),
      "reference-form": note(
        "Link in another form",
        "Split by marks, in backticks, without a label, a bare URL.",
        "Write `[title](target)`.",
        ollmChat("docs/bugs/done/2026-04-04-FIXED-executor-summary-bold-wrapped-links-not-clickable.md")
      ),
      "reference-target": note(
        "Target spelled differently",
        "Exactly one target can be meant.",
        "Write the target as the host names it.",
        ollmChat("docs/plans/done/6.11-DONE-leading-slash-project-path-kludge.md")
      ),
      "links-not-read": warning(
        "Links not read",
        "The section is too large or too nested to look for links.",
        "Keep sections small.",
        ofProgram
      )
    }
  )
] as const
