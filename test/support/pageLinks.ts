/** The relative links of a page, without their anchors. */
export const linksOf = (page: string): ReadonlyArray<string> =>
  [
    ...page
      .replace(/^(`{3,}).*?^\1/gms, "")
      .replace(/(`+)[^`].*?\1/g, "")
      .matchAll(/\]\(([^)#\s]+)[^)]*\)/g)
  ]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
