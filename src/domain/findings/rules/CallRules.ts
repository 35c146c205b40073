/** The rules about the calls and changes of an answer. Families and rules are in the order of the documentation. */
import { error, family, note, warning } from "./Rule.ts"
import { ofProgram, promised, report } from "./Sources.ts"

const aCall = '{ "uid": "call-1", "name": "...", "arguments": { ... } }'

export const callRules = [
  family("places", "Places", "What an answer says of numbered places of files.", {
    "place-answer": error(
      "Answer to a place that cannot be used",
      "A change that nobody described is never guessed.",
      "Answer the number again."
    ),
    "place-open": error(
      "Places without an answer",
      "Each place is decided about, so that none is forgotten.",
      "Answer each number on a line of its own."
    )
  }),
  family("tool-calls", "Tool calls", "The JSON of a call, and whether the tools of the run can do what it says.", {
    "tool-call-too-large": error(
      "Tool call too large",
      "A call above the limit is not parsed.",
      "Make the arguments smaller."
    ),
    "tool-call-too-deep": error(
      "Tool call nested too deeply",
      "Values nested this deeply come from an attack or from a model in a loop.",
      "Write a flat arguments object."
    ),
    "tool-call-json": error(
      "Tool call is not JSON",
      "What cannot be read is never guessed.",
      `Write one JSON object with double quotes: ${aCall}.`
    ),
    "tool-call-truncated": error(
      "Tool call breaks off",
      "Closing what broke off would invent arguments.",
      "Write the whole JSON object, with all closing quotes and braces."
    ),
    "tool-call-not-object": error(
      "Tool call is not an object",
      "A call is one JSON object.",
      `Write one JSON object: ${aCall}.`
    ),
    "tool-call-key-duplicate": error("Key given twice", "Only one of the values can be meant.", "Keep one of them."),
    "tool-call-key-forbidden": error("Forbidden key", "The key would change the object itself.", "Leave the key out."),
    "tool-call-key-unknown": error(
      "Unknown key beside arguments",
      "It may be a misplaced argument.",
      'Put parameters of the tool into "arguments" and remove every other key.'
    ),
    "tool-call-number": error(
      "Number out of range",
      "It would be changed by reading it.",
      "Write a smaller number, or a string."
    ),
    "tool-call-name": error(
      "Tool call without name",
      "Nothing says which tool is meant.",
      'Write the name of the tool under "name".'
    ),
    "tool-call-arguments": error(
      "Arguments are not an object",
      "Tools take named arguments.",
      'Write "arguments" as a JSON object with the names of the parameters as keys; {} when there are none.'
    ),
    "tool-call-misplaced": error(
      "Tool call outside Tool Calls",
      "Blocks under Task stay with the task and never run.",
      'Put every call under the heading "## Tool Calls".'
    ),
    "tool-call-repaired": note(
      "JSON fixed",
      "Small mistakes in the JSON left only one meaning.",
      "Write strict JSON.",
      report("ml-explore/mlx-lm/pull/1071")
    ),
    "tool-call-split": note(
      "Several calls in one block",
      "One block holds one call.",
      "Write one call per code block.",
      report("Blaizzy/mlx-vlm/pull/2132")
    ),
    "tool-call-unfenced": note(
      "Tool call without a fence",
      "It stood as plain text.",
      "Put each call into a code block of its own.",
      report("raullenchai/Rapid-MLX/issues/700")
    ),
    "tool-call-alias": note(
      "Key with another name",
      "A known other name of uid, name or arguments.",
      "Use the keys `uid`, `name` and `arguments`.",
      report("ollama/ollama/pull/18388")
    ),
    "tool-call-syntax": note(
      "Call in the syntax of another program",
      "Tags say which tool is called with which arguments.",
      "Write each call as one JSON object in a code block of its own.",
      promised("internals/repairs.md#syntaxes-of-calls")
    ),
    "tool-call-flat": note(
      "Arguments beside the name",
      "Without arguments, the other keys can be nothing else.",
      'Put the parameters of the tool into "arguments".',
      report("openclaw/openclaw/pull/96127")
    ),
    "tool-call-uid": note(
      "Uid assigned by the host",
      "It was missing, given twice, or not a string.",
      "Give every call a uid of its own.",
      report("Mesh-LLM/mesh-llm/issues/1303")
    ),
    "tool-call-extra": note(
      "Key ignored",
      "A remark that no tool reads.",
      "Write only `uid`, `name` and `arguments`.",
      report("cactus-compute/needle/pull/79")
    ),
    "tool-call-missing": error(
      "Nothing to work on",
      "A task without a call or a reference has nothing to work on.",
      "Add at least one tool call under `## Tool Calls`."
    ),
    "tool-call-unfit": error(
      "Call that would fail",
      "A call that changes something is tried against the project before anybody is asked about it.",
      "Change the arguments so that they fit what is there."
    ),
    "tool-call-repeated": error(
      "Same call repeated",
      "Repeating a call gives nothing new.",
      "Make each call once.",
      "limits.identicalCalls says how often the same call may be made."
    ),
    "tool-unknown": error(
      "Unknown tool",
      "Only tools of the run can be called.",
      "Use one of the tools that the skill may use.",
      '"task-conductor tools list" shows the tools that there are.'
    ),
    "tool-not-allowed": error(
      "Tool not allowed for the skill",
      "A skill names the tools that it may use.",
      "Use one of the tools that the skill may use."
    ),
    "tool-call-limited": error(
      "Call that the skill does not allow",
      "The skill allows the tool only for certain commands, files or sites.",
      "Make a call that the skill allows, or remove it."
    ),
    "argument-missing": error(
      "Required argument missing",
      "A missing argument is never invented.",
      "Add the argument."
    ),
    "argument-invalid": error(
      "Argument does not fit",
      "The tool takes values of another kind.",
      "Write a value that fits the parameter."
    ),
    "argument-unknown": error(
      "Unknown argument",
      "No parameter of the tool takes it.",
      "Remove it, or use the name of a parameter."
    ),
    "argument-placeholder": error(
      "Argument with a blank to fill in",
      "Nothing fills it in: the calls of one answer run with the values that stand in them.",
      "Call what gives the value first. Make this call in the next answer, with the value itself."
    ),
    "argument-coerced": note(
      "Text instead of a number or boolean",
      "The text has one meaning as a value of the type that the parameter asks for.",
      "Write numbers and booleans without quotes.",
      report("QwenLM/qwen-code/pull/1284")
    ),
    "tool-renamed": note(
      "Tool in another spelling",
      "Only one tool has these letters.",
      "Write the name as the list of tools has it.",
      report("anomalyco/opencode/pull/10558")
    ),
    "argument-renamed": note(
      "Argument in another spelling",
      "Of the parameters that the call lacks, only one can be the intended one.",
      "Write the names of arguments as the tool has them.",
      report("cortexkit/aft/issues/148")
    ),
    "argument-remark": note(
      "Reason among the arguments",
      "The tool has no such argument, and a reason changes nothing of what it does.",
      "Leave it out, or write it beside the calls.",
      report("apify/apify-mcp-server/pull/865")
    ),
    "argument-dropped": note(
      "Null or empty text for an optional argument",
      "It says the same as leaving the argument out.",
      "Leave the argument out.",
      report("can1357/oh-my-pi/issues/2981")
    )
  }),
  family(
    "changes",
    "Changes",
    "Changes of files that an answer holds as literal blocks, whole files, diffs or replacements.",
    {
      "change-path": error(
        "Change without a path",
        "Nothing says which file is meant.",
        "Write the path of the file on a line of its own before the block."
      ),
      "change-unfinished": error(
        "Change breaks off",
        "What is missing of it cannot be guessed.",
        "Write the whole block again, with all three of its marks."
      ),
      "change-marks": error(
        "Marks that make no block",
        "A mark that belongs to no block may be a change that would be lost.",
        "Write each change as one block with its three marks, each on a line of its own."
      ),
      "change-elided": error(
        "Text left out of a change",
        "The line would be written to the file instead of the text that it stands for.",
        "Write a block that has only the lines that change, under OLD and under NEW."
      ),
      "change-diff": error(
        "Part of a diff that is no edit",
        "A place is found by the lines that stand there now.",
        "Write it as a block, with the lines that stand in the file now under OLD."
      ),
      "change-replace": error(
        "Replacement that cannot be read",
        "A replacement over many places has to be exact.",
        'Write one JSON object: {"replace": "old name", "with": "new name", "except": ["path:line"]}.'
      ),
      "change-quoted": warning(
        "Code that is not taken as a file",
        "It may be quoted, and would replace the whole file.",
        "Write a change as a block, and a new file as its path with a fence that names the language.",
        ofProgram
      ),
      "change-sentence": note(
        "Path in a sentence",
        "The sentence before the block names one file.",
        "Write the path on a line of its own.",
        report("Aider-AI/aider/issues/1105")
      ),
      "change-fenced": note(
        "Fences inside a block",
        "Both parts of the block stood in a fence of their own, which is no line of the file.",
        "Put the lines of the file between the marks, and nothing else.",
        report("Aider-AI/aider/issues/5662")
      ),
      "change-tidied": note(
        "New text with signs that are not meant for the file",
        "Nothing of the kind stands in the file, and only its being written as an answer explains it.",
        "Write the new text as it is to stand in the file.",
        report("RooCodeInc/Roo-Code/blob/cf6b3848bd85de1958a5aea92e5a041086a877d3/src/core/tools/writeToFileTool.ts")
      )
    }
  )
] as const
