/**
 * The scripts with which shells ask this program what the last word of a command line may become. Where it says nothing, they
 * offer files.
 */

const bash = `# In ~/.bashrc: source <(task-conductor completion bash)
_task_conductor() {
  local index word whole="" strip line
  local -a words=()
  # bash takes ":" and "=" for words of their own, which names of models contain.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ -n $whole && ( $word == [:=]* || $whole == *[:=] ) ]]; then
      whole+=$word
      words[\${#words[@]}-1]=$whole
    else
      whole=$word
      words+=("$word")
    fi
  done
  strip=\${whole%"\${whole##*[:=]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    COMPREPLY+=("\${line#"$strip"}")
  done < <(task-conductor complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _task_conductor task-conductor
`

const zsh = `# In ~/.zshrc, after compinit: source <(task-conductor completion zsh)
_task_conductor() {
  local line
  local -a found
  for line in "\${(@f)$(task-conductor complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then
    _describe task-conductor found
  else
    _files
  fi
}
compdef _task_conductor task-conductor
`

const fish = `# In ~/.config/fish/config.fish: task-conductor completion fish | source
function __task_conductor_complete
    set -l word (commandline -ct)
    set -l words (commandline -opc) "$word"
    set -l found (task-conductor complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c task-conductor -f -a '(__task_conductor_complete)'
`

const powershell = `# In $PROFILE: task-conductor completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName task-conductor -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    task-conductor complete -- @words $wordToComplete 2>$null | ForEach-Object {
        $text, $about = $_ -split "\\t", 2
        if (-not $about) { $about = $text }
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $about)
    }
}
`

/** A script by the name of its shell. */
export const scripts = { bash, zsh, fish, powershell }
