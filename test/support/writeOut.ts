/** Writes out `{{3 x "text #"}}`: the text as often as the number says, with its own number for each `#`. */
export const writeOut = (text: string): string =>
  text.replace(/\{\{(\d+) x ("(?:[^"\\]|\\.)*")\}\}/g, (_, times: string, quoted: string) => {
    const parts = String(JSON.parse(quoted)).split("#")
    return Array.from({ length: Number(times) }, (__, index) => parts.join(String(index + 1))).join("")
  })
