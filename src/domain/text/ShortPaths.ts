/**
 * Paths in sentences for a person: below the project without the path of the project, below the home folder with `~`.
 */

/** A text in which paths below the project are relative to it. A longer path that only holds the project's stays. */
export const withoutProject = (text: string, project: string): string =>
  project.length < 2
    ? text
    : text
        .split(`${project}/`)
        .reduce((before, after) => (/[^\s"'`(<[:=]$/.test(before) ? `${before}${project}/${after}` : before + after))

/** A path, with `~` for the home folder. */
export const belowHome = (path: string, home: string): string =>
  home.length > 1 && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
