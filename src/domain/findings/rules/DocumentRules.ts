/**
 * The rules about the form of documents and their links. Families and rules are in the order of their pages.
 */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, ollmChat, promised, report, savedFiles, superpowers } from "./Sources.ts"

const targets =
  "Use a heading such as #project-description, a result such as #research-1-results, the path of a file, or an http(s) URL."

export const documentRules = [
  family(
    "surroundings",
    "What surrounds an answer",
    "Models put text around an answer that is no part of it: reasoning, small talk, a code block around everything. It is removed, and line numbers stay those of the original text.",
    {
      "document-too-large": error(
        "Document too large",
        "A text above the limit is not parsed, so that reading never hangs.",
        "Answer with the document only."
      ),
      "fence-unclosed": error(
        "Fence never closed",
        "It is unclear where the code ends and the document goes on.",
        "Close the code block with a fence of the same length on a line of its own."
      ),
      "byte-order-mark": note(
        "Byte order mark",
        "It is an invisible first character.",
        "Write no byte order mark.",
        savedFiles
      ),
      "line-endings": note(
        "Line endings",
        "Lines end with a line feed only.",
        "End lines with a line feed.",
        savedFiles
      ),
      "thinking-removed": note(
        "Thinking removed",
        "The reasoning of a model is not part of its answer.",
        "Write the document only.",
        report("anomalyco/opencode/issues/21515")
      ),
      "fence-unwrapped": note(
        "Answer in a fence",
        "The whole answer stood in one code block.",
        "Write the document without a code block around it.",
        report("yazinsai/OpenOats/issues/617")
      ),
      "fence-closed": warning(
        "Fence closed at the end",
        "The last code block was not closed.",
        "Close every code block.",
        ollmChat("tests/markdown/repro-phone-unclosed-fence.md")
      ),
      "fence-ignored": warning(
        "Stray fence ignored",
        "A fence in the copied prompt would have swallowed the document.",
        "Close every code block.",
        ollmChat("tests/markdown/task-parse-test.md")
      ),
      "preamble-ignored": note(
        "Text before the first heading",
        "A document begins with its first heading; text before it is ignored.",
        "Begin with the first heading.",
        ollmChat("tests/markdown/regression-distill-thinking-head.md")
      )
    }
  ),
  family("structure", "Structure", "Headings and sections of the documents, and where tasks may stand.", {
    "section-missing": error(
      "Required section missing",
      "Without it the document cannot be understood.",
      "Write the heading on a line of its own, outside any code block, with its text under it."
    ),
    "section-empty": error(
      "Required section empty",
      "A heading without text states nothing.",
      "Write the text under the heading."
    ),
    "text-hidden": error(
      "Hidden part of a document",
      "In a comment, a hidden element or the title of a link nobody sees what would run.",
      "Write the document once and as visible text, without HTML."
    ),
    "section-several": error(
      "Two lists in one document",
      "Who reads the document sees both, and only one would run.",
      "Write the list of tasks, or the tool calls, once under one heading."
    ),
    "section-unknown": error(
      "Unknown section under Tasks",
      "Tasks stand only under `### Task section N`.",
      "Use only `### Task section N` under `## Tasks`, and put the text into a field of a task."
    ),
    "section-order": error(
      "Task sections out of order",
      "Falling numbers contradict the order in which sections run.",
      "Sections run in the order of the document: number them in that order."
    ),
    "step-empty": error(
      "Task section without a task",
      "A section is a step, and a step needs work.",
      'Add a task with the fields "What is needed", "Skill" and "Expected output", or remove the section.'
    ),
    "plan-unfinished": error(
      "List of tasks that is not whole",
      "It says that there are more tasks than it has, or breaks off. What it leaves out would never be done.",
      "Write all tasks to their end, or leave out what announces more."
    ),
    "plan-example": error(
      "Task of the example",
      "The example of the instructions shows the form of a list; what it says is about another prompt.",
      "Write tasks for the prompt, in its words.",
      "Use a larger model (--model)."
    ),
    "tasks-empty": error(
      "No task in the list",
      "A first plan needs at least one task.",
      'Write "### Task section 1" with at least one task.'
    ),
    "task-outside-section": error(
      "Task outside a task section",
      "Order and parallelism come from the sections.",
      'Put every task under "## Tasks" into a section "### Task section N".'
    ),
    "task-several": error(
      "More than one task",
      "A refinement is about one task.",
      "Write the one task that is to be refined, each field once."
    ),
    "heading-form": note(
      "Heading in another form",
      "A line in bold that is a heading of the document.",
      "Write the heading with hashes.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "heading-text": note(
      "Heading with another text",
      "A known other wording of the heading.",
      "Use the words of the format.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "heading-level": note(
      "Heading on another level",
      "The heading is found by its text anyway.",
      "Use the level of the format.",
      ollmChat("resources/skill-prompts/task_list_iteration.md")
    ),
    "prompt-filled": note(
      "Prompt left out",
      "The program knows the prompt; the copy in a list is never read.",
      "Begin with `## Original prompt`.",
      promised("formats.md#task-list")
    ),
    "task-heading": note(
      "Heading of a task where a section is asked for",
      "Tasks that are numbered by their headings run in this order.",
      "Put tasks under `### Task section N`, with their names in the field *Name*.",
      superpowers
    ),
    "summary-unheaded": note(
      "Result without its heading",
      "An answer without any heading can only be the summary.",
      "Begin with `## Result summary`.",
      promised("formats.md#result")
    ),
    "section-repeated": warning(
      "Section given twice",
      "The last one counts.",
      "Write every section once.",
      ollmChat("docs/plans/done/1.23.28-DONE-agent-bugs.md")
    ),
    "section-ignored": warning(
      "Section ignored",
      "No reader uses a section of this name.",
      "Use the sections of the format only.",
      ollmChat("resources/skill-prompts/task_execution.md")
    ),
    "text-ignored": warning(
      "Text without a place ignored",
      "Text between tasks belongs to no field.",
      "Put text into a field.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "text-attached": warning(
      "Text attached to the field before it",
      "It lacked the indentation that makes it part of the field.",
      "Indent every line of a field by two spaces.",
      ollmChat("resources/skill-prompts/task_creation_initial.md")
    ),
    "finished-task-dropped": note(
      "Finished task repeated",
      "Its result exists already.",
      "List only what is still to do.",
      ollmChat("docs/plans/done/1.23.20-DONE-post-testing-changes.md")
    ),
    "task-repeated": error(
      "Work of a finished task under another name",
      "Its result exists already; doing it again brings nothing new.",
      "Link the result of the finished task, or say what is needed beyond it."
    ),
    "step-dropped": note(
      "Section of finished tasks dropped",
      "Nothing was left in it.",
      "List only what is still to do.",
      ollmChat("docs/plans/done/1.23.20-DONE-post-testing-changes.md")
    )
  }),
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
      "Write a pattern that covers files of the project."
    ),
    "for-each-form-read": note(
      "Items written differently",
      "It says what the items are in other words than the format.",
      "Write `file in <pattern>`, `line in <pattern>`, `heading in <pattern>` or `entry in <link>`.",
      promised("formats.md#a-task-for-each-item")
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
      promised("formats.md#task-list")
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
      promised("formats.md#fields")
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
      promised("formats.md#names-and-anchors")
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
        promised("formats.md#names-and-anchors")
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
