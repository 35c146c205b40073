#!/usr/bin/env bash
# Answers a question about the project in the current folder without changing anything, and writes the report of the run.
# The answer goes to stdout, and the exit code is that of the run:
#
#   ./answer-and-report.sh "Where are the limits of a run defined?" report.html > answer.md
set -euo pipefail

prompt=${1:?"Give a prompt in quotes."}
page=${2:-report.html}

status=0
task-conductor run --read-only --allow read_file "$prompt" || status=$?

# No run was saved when the flags were wrong (exit code 2).
if [ "$status" -ne 2 ]; then
  task-conductor report last --output "$page" --overwrite
  task-conductor show last --json | grep -E '"(status|duration_ms)"' >&2
fi
exit "$status"
