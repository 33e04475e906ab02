/** A file's text with line feeds alone, and without the mark that some editors begin a file with. */
export function unixText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}
