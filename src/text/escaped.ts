/** Text inside markup. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The text as it stands in elements and in quoted attributes of HTML and XML. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => entities[char] ?? char)
