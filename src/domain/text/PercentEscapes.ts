/** The text with its percent escapes read; as it is where they are not valid. */
export const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
